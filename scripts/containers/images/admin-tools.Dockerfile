# Stands in for temporalio/admin-tools.
FROM stand-in/base
RUN useradd --uid 1000 temporal
COPY temporal temporal-sql-tool /usr/local/bin/
COPY schema /etc/temporal/schema
RUN chmod 755 /usr/local/bin/*
USER temporal
