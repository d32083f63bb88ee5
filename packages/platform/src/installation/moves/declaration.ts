import type { MoveDeclaration } from '../../domain/data.ts'

const OF_INSTALLATION = 'of the installation'

/** What becomes of the platform's own tables when an organisation moves. */
export const platformMoves: MoveDeclaration = {
  stays: {
    append_only_tables: OF_INSTALLATION,
    audit_log: 'what operators did in this cell',
    database_origin: OF_INSTALLATION,
    migrations: OF_INSTALLATION,
    moved_rows: 'rows on their way',
    operator_amounts: 'of operators',
    organisation_moves: 'what this cell knows of moves',
    provider_budgets: OF_INSTALLATION,
    provider_calls: 'calls of the processes of this cell',
    provider_controls: OF_INSTALLATION,
    provider_minutes: OF_INSTALLATION,
    provider_prices: OF_INSTALLATION,
    rate_limits: 'limits hold in each cell',
    readiness_probes: OF_INSTALLATION,
    restores: OF_INSTALLATION,
    sandbox_faults: 'an outage that operators of this cell simulate',
    setting_fingerprints: OF_INSTALLATION,
  },
  compared: {
    'numbers of rows': (rows) =>
      `select string_agg(n.name || ' ' || n.count, ', ' order by n.name) as value
         from (select concat_ws(' ', environment, table_name, nullif(scope, '')) as name, sum(count) as count from ${rows('record_counts')} c group by 1) n
        where n.count <> 0`,
  },
}
