# Stands in for temporalio/ui, with the real image's entrypoint and configuration.
FROM stand-in/base
RUN apt-get update && apt-get install -y --no-install-recommends netcat-openbsd && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 1000 temporal
WORKDIR /home/ui-server
COPY ui-server start-ui-server.sh ./
COPY docker.yaml config/
RUN chmod 755 ui-server start-ui-server.sh && chown -R temporal:temporal .
USER temporal
EXPOSE 8080
ENTRYPOINT ["./start-ui-server.sh"]
