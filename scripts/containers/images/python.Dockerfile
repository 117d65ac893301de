# Stands in for the image of agents' commands.
FROM stand-in/base
RUN apt-get update && apt-get install -y --no-install-recommends python3-minimal && rm -rf /var/lib/apt/lists/*
CMD ["python3"]
