/**
 * Numbers the public channels of a category 1, 2, 3 …, and gives private ones fractions between, because the whole
 * number of a private one left a visible gap. Raises the versions of moved channels in the rooms that publish them, so
 * that clients fetch them.
 */
export const numbers = `
create temporary table numbers on commit drop as
with placed as (
  select id, server_id, category_id, private, position,
    count(*) filter (where not private) over (
      partition by server_id, category_id order by position, id
    ) as above
  from channels
), counted as (
  select *, row_number() over own as place, count(*) over whole as count
  from placed
  window whole as (partition by server_id, category_id, above, private),
    own as (partition by server_id, category_id, above, private order by position, id)
), anew as (
  select id, server_id, private, position as before,
    case when private then above + place::double precision / (count + 1) else above end as position
  from counted
)
select id, server_id, private, position from anew where position <> before;

update channels set position = numbers.position from numbers where channels.id = numbers.id;

update channels set version = told.version
from (
  select numbers.id, rooms.version + row_number() over (partition by server_id order by numbers.id)
    as version
  from numbers join rooms on rooms.id = numbers.server_id where not private
) as told
where channels.id = told.id;
update channel_members set user_version = told.version
from (
  select channel_id, user_id,
    rooms.version + row_number() over (partition by user_id order by channel_id) as version
  from numbers join channel_members on channel_id = numbers.id join rooms on rooms.id = user_id
  where private
) as told
where channel_members.channel_id = told.channel_id and channel_members.user_id = told.user_id;

update rooms set version = version + told.count
from (
  select server_id as id, count(*) from numbers where not private group by server_id
  union all
  select user_id, count(*)
  from numbers join channel_members on channel_id = numbers.id where private group by user_id
) as told
where rooms.id = told.id;
`;
