-- Gives the nodes a role that owns their database and can do nothing else: run by the superuser at each start,
-- with the role's password in parley.password.
do $$
declare
  thing record;
begin
  if to_regrole('parley_app') is null then
    create role parley_app;
  end if;
  execute format(
    'alter role parley_app login nosuperuser nocreatedb nocreaterole noreplication nobypassrls password %L',
    current_setting('parley.password')
  );
  execute format('alter database %I owner to parley_app', current_database());
  -- What the nodes made while they were superusers themselves. A sequence follows its table.
  for thing in
    select oid::regclass as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
  loop
    execute format('alter table %s owner to parley_app', thing.name);
  end loop;
  for thing in
    select oid::regprocedure as name from pg_proc where pronamespace = 'public'::regnamespace
  loop
    execute format('alter routine %s owner to parley_app', thing.name);
  end loop;
end
$$;
