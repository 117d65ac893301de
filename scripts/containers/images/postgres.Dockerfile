# Stands in for postgres. The real image has the same volume, and the same modes of its folders.
FROM stand-in/base
RUN apt-get update && apt-get install -y --no-install-recommends postgresql-15 && rm -rf /var/lib/apt/lists/* /var/lib/postgresql/15
ENV PATH=/usr/lib/postgresql/15/bin:/usr/local/bin:/usr/bin:/bin \
    PGDATA=/var/lib/postgresql/data
RUN install -d -o postgres -g postgres -m 1777 "$PGDATA" && install -d -m 3777 /var/run/postgresql
COPY postgres.sh /usr/local/bin/entrypoint.sh
VOLUME /var/lib/postgresql/data
STOPSIGNAL SIGINT
ENTRYPOINT ["sh", "/usr/local/bin/entrypoint.sh"]
CMD ["postgres"]
