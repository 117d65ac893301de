#!/bin/sh
# The inbox with nothing but the Temporal CLI: finds the runs that wait for a person, asks each for its questions, and
# answers with a signal. It works from any machine that can reach the server (TEMPORAL_ADDRESS).
#
#   sh examples/answer.sh                              lists the questions that wait
#   sh examples/answer.sh RUN QUESTION "Dark mode"     answers one; an empty answer skips it
set -eu

temporal=${TEMPORAL_CLI_PATH:-temporal}

if [ $# -eq 0 ]; then
  "$temporal" workflow list --output json --query 'RepriseWaiting = "human" AND ExecutionStatus = "Running"' |
    sed -n 's/^ *"workflowId": "\(.*\)",\{0,1\}$/\1/p' |
    while read -r run; do
      echo "$run"
      "$temporal" workflow query --workflow-id "$run" --type pendingQuestions </dev/null
    done
  exit
fi

# A text becomes JSON: quotes, backslashes and line breaks have to be escaped.
input=$(node -p 'JSON.stringify({ questionId: process.argv[1], answer: process.argv[2] })' "$2" "$3")
"$temporal" workflow signal --workflow-id "$1" --name answer --input "$input"
