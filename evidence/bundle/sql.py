"""How values and names become SQL text, and how written times, numbers and severities become columns.

Times are kept as TIMESTAMP in UTC: DuckDB's Python client needs no time zone package for them.
"""


def literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def ident(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


EARLIEST, LATEST = "1980-01-01", "2200-01-01"

MACROS = (
    # An epoch number in seconds, milli-, micro- or nanoseconds, told by how many digits it has.
    """CREATE MACRO epoch_time(t) AS make_timestamp(CAST(round(CASE
        WHEN length(split_part(t, '.', 1)) <= 11 THEN CAST(t AS DECIMAL(30, 9)) * 1000000
        WHEN length(split_part(t, '.', 1)) <= 14 THEN CAST(t AS DECIMAL(30, 9)) * 1000
        WHEN length(split_part(t, '.', 1)) <= 17 THEN CAST(t AS DECIMAL(30, 9))
        ELSE CAST(t AS DECIMAL(30, 9)) / 1000 END) AS BIGINT))""",
    """CREATE MACRO other_time(t) AS coalesce(
        try_cast(replace(regexp_replace(t, ':60(\\.[0-9]+)?', ':59'), ',', '.') AS TIMESTAMPTZ),
        try_strptime(t, ['%d/%b/%Y:%H:%M:%S %z', '%Y/%m/%d %H:%M:%S', '%a, %d %b %Y %H:%M:%S %z', '%Y%m%dT%H%M%S%z',
                         '%d %b %Y %H:%M:%S %z', '%m/%d/%Y %H:%M:%S'])) AT TIME ZONE 'UTC'""",
    """CREATE MACRO written_time(t) AS CASE
        WHEN t IS NULL THEN NULL
        WHEN regexp_full_match(t, '[0-9]{9,20}(\\.[0-9]+)?') THEN epoch_time(t)
        ELSE coalesce(try_cast(t AS TIMESTAMPTZ) AT TIME ZONE 'UTC', other_time(t)) END""",
    f"""CREATE MACRO sane_time(t) AS CASE
        WHEN t >= TIMESTAMP '{EARLIEST}' AND t < TIMESTAMP '{LATEST}' THEN t END""",
    """CREATE MACRO zone_of(t) AS CASE
        WHEN t IS NULL THEN NULL
        WHEN regexp_full_match(t, '[0-9]{9,20}(\\.[0-9]+)?') THEN 'epoch'
        WHEN regexp_matches(t, '(Z|z|UTC|GMT)$') THEN 'Z'
        WHEN regexp_matches(t, ':[0-9.,]+ ?[+-][0-9]{2}:?[0-9]{0,2}$') THEN regexp_extract(t, '[+-][0-9:]+$')
        WHEN regexp_matches(t, ' [A-Za-z]+/[A-Za-z_/]+$') THEN regexp_extract(t, '[A-Za-z_]+/[A-Za-z_/]+$')
        ELSE 'none' END""",
    # Beyond 1e60 nothing is measured, and squares would overflow.
    """CREATE MACRO finite(t) AS CASE WHEN abs(try_cast(t AS DOUBLE)) < 1e60 THEN try_cast(t AS DOUBLE) END""",
    """CREATE MACRO level_of(t) AS CASE upper(trim(t))
        WHEN 'TRACE' THEN 'TRACE' WHEN 'FINEST' THEN 'TRACE' WHEN 'DEBUG' THEN 'DEBUG' WHEN 'FINE' THEN 'DEBUG'
        WHEN 'INFO' THEN 'INFO' WHEN 'INFORMATION' THEN 'INFO' WHEN 'NOTICE' THEN 'INFO' WHEN 'I' THEN 'INFO'
        WHEN 'WARN' THEN 'WARN' WHEN 'WARNING' THEN 'WARN' WHEN 'W' THEN 'WARN'
        WHEN 'ERROR' THEN 'ERROR' WHEN 'ERR' THEN 'ERROR' WHEN 'SEVERE' THEN 'ERROR' WHEN 'E' THEN 'ERROR'
        WHEN 'FATAL' THEN 'FATAL' WHEN 'CRITICAL' THEN 'FATAL' WHEN 'CRIT' THEN 'FATAL' WHEN 'PANIC' THEN 'FATAL'
        WHEN 'EMERG' THEN 'FATAL' WHEN 'EMERGENCY' THEN 'FATAL' WHEN 'ALERT' THEN 'FATAL' WHEN 'F' THEN 'FATAL'
        ELSE CASE WHEN regexp_full_match(trim(t), '[0-9]{1,2}') THEN CASE
            WHEN CAST(trim(t) AS INTEGER) BETWEEN 1 AND 4 THEN 'TRACE'
            WHEN CAST(trim(t) AS INTEGER) BETWEEN 5 AND 8 THEN 'DEBUG'
            WHEN CAST(trim(t) AS INTEGER) BETWEEN 9 AND 12 THEN 'INFO'
            WHEN CAST(trim(t) AS INTEGER) BETWEEN 13 AND 16 THEN 'WARN'
            WHEN CAST(trim(t) AS INTEGER) BETWEEN 17 AND 20 THEN 'ERROR'
            WHEN CAST(trim(t) AS INTEGER) BETWEEN 21 AND 24 THEN 'FATAL' ELSE '' END ELSE '' END END""",
    # The level word that stands near the start of a line, as loggers write it: in capitals.
    """CREATE MACRO level_in(t) AS level_of(regexp_extract(t[:200],
        '(?:^|[^A-Za-z0-9_])(TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|SEVERE|FATAL|CRITICAL|PANIC|EMERG)(?:[^A-Za-z0-9_]|$)', 1))""",  # noqa: E501  # one pattern
    # A workload's name without the hashes that Kubernetes adds to its pods.
    """CREATE MACRO workload_of(t) AS regexp_replace(t, '-[a-z0-9]{5,10}-[a-z0-9]{5}$', '')""",
)
