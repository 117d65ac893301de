# What the compose file needs of the real image's entrypoint: data with a superuser's name, password and database.
set -e
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  printf '%s' "$POSTGRES_PASSWORD" >/tmp/password
  initdb --username "$POSTGRES_USER" --pwfile /tmp/password --auth-local trust --auth-host scram-sha-256
  rm /tmp/password
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  pg_ctl --wait --options '-c listen_addresses=' start
  createdb --username "$POSTGRES_USER" "$POSTGRES_USER"
  pg_ctl --wait --mode fast stop
fi
exec "$@" -c 'listen_addresses=*'
