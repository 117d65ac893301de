# Stands in for temporalio/server, with the real image's entrypoint. Its shell is busybox, as there.
FROM stand-in/base
RUN apt-get update && apt-get install -y --no-install-recommends busybox-static netcat-openbsd && rm -rf /var/lib/apt/lists/* \
    && ln -sf busybox /bin/sh && useradd --uid 1000 temporal
COPY temporal-server /usr/local/bin/
COPY entrypoint.sh /etc/temporal/
RUN chmod 755 /usr/local/bin/temporal-server /etc/temporal/entrypoint.sh
WORKDIR /etc/temporal
USER temporal
CMD ["/etc/temporal/entrypoint.sh"]
