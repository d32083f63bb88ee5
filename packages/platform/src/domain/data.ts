import type { EntitySchema } from '@mikro-orm/postgresql'
import type { QueryContext, UnitOfWork } from '../operations/context/context.ts'
import type { RestoreDeclaration } from '../operations/context/restore.ts'
import type { TimelineDeclaration } from '../operations/context/timeline.ts'
import type { EncryptedColumn, LastingSecret } from '../settings/secrets.ts'
import type { Settings } from '../settings/settings.ts'
import type { Resource } from './resource.ts'

/** One migration of the schema, owned by one package. Names start with a timestamp, and migrations run in that order. */
export interface MigrationStep {
  readonly name: string
  readonly up: readonly string[]
  /**
   * The statements run one by one, outside a transaction, as `create index concurrently` needs. Each must be repeatable: a step that
   * was interrupted is run again from its first statement. {@link indexConcurrently} makes such statements.
   */
  readonly concurrently?: true
}

/** Statements of a `concurrently` step that create an index of an existing table while it is written to. */
export const indexConcurrently = (name: string, definition: string, unique: 'unique' | '' = ''): string[] => [
  // What an interrupted attempt has left is invalid, and has the name.
  `drop index concurrently if exists ${name}`,
  `create ${unique} index concurrently ${name} on ${definition}`,
]

/**
 * Statements of a `concurrently` step that add a foreign key to existing tables while they are written to: new rows are checked at once,
 * and those that exist afterwards, under locks for which no write waits.
 */
export const foreignKeyConcurrently = (table: string, name: string, definition: string): string[] => [
  `alter table ${table} drop constraint if exists ${name}`,
  `alter table ${table} add constraint ${name} foreign key ${definition} not valid`,
  `alter table ${table} validate constraint ${name}`,
]

/** What of a table is counted. All are SQL over the columns of the table. */
export interface Counted {
  /** One number for each value of each of these: `''`, the default, is the same for all rows. Null is not counted. */
  readonly scopes?: readonly string[]
  /** Which rows. It must never change for a row. */
  readonly where?: string
  /** They are counted for the installation instead of their tenants. */
  readonly installation?: true
}

/** A table that is partitioned by the time in its ids: see `partitionByWeek`. */
export interface PartitionedTable {
  readonly name: string
  /** For how many days after `created_at` rows are kept. */
  retentionDays(settings: Settings): number
}

/** A customer of the actor's tenant who is being anonymised. */
export interface AnonymisedCustomer {
  readonly id: string
  /** What erased names become. */
  readonly name: string
  /** What the customer was called until now. */
  readonly formerName: string
  /** The fields with personal data, with what they have from now on. */
  readonly erased: Readonly<Record<string, unknown>>
}

/** What a domain keeps in the database, and what holds for it. */
/** Objects of one kind of `operators.objects` in the search of merchants over everything. */
export interface SearchedKind {
  readonly kind: string
  /** Rows of the actor's tenant that are found by words, a number or an amount, newest first, and how many there are; null: too many to be counted. */
  find?(
    context: QueryContext,
    text: string,
    limit: number,
  ): Promise<{ readonly rows: readonly { readonly id: string }[]; readonly total: number | null }>
  /** What stands for a row in a list of everything. */
  // biome-ignore lint/suspicious/noExplicitAny: row types differ, and the list is only iterated
  show(row: any): { readonly title: string; readonly subtitle: string; readonly amount?: string }
}

/** Rows that are an organisation's although their table has no `organisation_id`: those whose `column` has the `key` of one of its rows in the table `of`. */
export interface FoundBy {
  readonly column: string
  readonly of: string
  readonly key: string
}

/**
 * What becomes of the tables of a domain when an organisation moves to another cell (`installation/moves`). Where nothing is said, the rows
 * with its `organisation_id` move: they are then in the other cell, and not in this one.
 */
export interface MoveDeclaration {
  /** How its rows are found in tables without `organisation_id`: by others, or by SQL, in which `$1` is the organisation. */
  readonly found?: Readonly<Record<string, string | readonly FoundBy[]>>
  /** Tables whose rows are in both cells from then on. */
  readonly copied?: readonly string[]
  /** Tables of people of several organisations, by the column that says who is who: copied where the other cell has no such row, else its row is meant. */
  readonly merged?: Readonly<Record<string, string>>
  /** Tables whose rows end with the move: the other cell has none of them. */
  readonly ended?: readonly string[]
  /** Tables that have no rows of one organisation alone, or whose rows stay, each with the reason. */
  readonly stays?: Readonly<Record<string, string>>
  /** Tables whose ids are in addresses that need no key: a proxy must know those of an organisation that has moved. */
  readonly addressed?: readonly string[]
  /** What must not be there, each as a sentence in which `{count}` is its number, with SQL of that number; `$1` is the organisation. */
  readonly obstacles?: Readonly<Record<string, string>>
  /** The same, in the cell that is to take it. */
  readonly present?: Readonly<Record<string, string>>
  /** Settings with a secret of which each cell must have another one. */
  readonly ownSecrets?: readonly string[]
  /** What must be the same in both cells: SQL of one `value`, by `rows('ledger_accounts')`, the organisation's part of a table as a relation. */
  readonly compared?: Readonly<Record<string, (rows: (table: string) => string) => string>>
  /** Statements in the cell that it leaves, when its rows are taken out, and when they are put back after all; `$1` is the organisation, `$2` the other cell. */
  readonly left?: readonly string[]
  readonly stayed?: readonly string[]
  /** Statements in the cell to which the rows have come; `$1` is the organisation. Numbers that the cell gives out must be above those that came. */
  readonly arrived?: readonly string[]
}

export interface DataDeclaration {
  /** The tables. */
  // biome-ignore lint/suspicious/noExplicitAny: an entity's own type does not matter to a list of all of them
  readonly entities?: readonly EntitySchema<any, any, any>[]
  /** The tables whose rows have a status. */
  // biome-ignore lint/suspicious/noExplicitAny: row types differ, and the list is only iterated
  readonly resources?: readonly Resource<any, any, any>[]
  /** The steps that created the tables, oldest first. */
  readonly migrations?: readonly MigrationStep[]
  /** What of its tables `record_counts` counts, as the migrations say it: proofs compare the two. */
  readonly counted?: Readonly<Record<string, Counted>>
  /** Its tables whose rows are dropped by the week. */
  readonly partitioned?: readonly PartitionedTable[]
  /** Tables in which the service's role may insert rows, but not update or delete them. */
  readonly appendOnly?: readonly string[]
  /** Columns with text that the keyring encrypted, so that a change of SECRETS_KEY can re-encrypt it. */
  readonly encrypted?: readonly EncryptedColumn[]
  /** Secrets of the settings on which rows depend, so that they must stay the same: their fingerprints are compared at the start. Of several of one setting the first writes. */
  lastingSecrets?(settings: Settings): readonly LastingSecret[]
  /**
   * Erases what the tables hold of a person, in the transaction that anonymises the customer, who is locked. Amounts and
   * statuses stay. Objects on their way must not bring it back.
   */
  anonymise?(unit: UnitOfWork, customer: AnonymisedCustomer): Promise<void>
  /** What a search over everything finds and shows of its objects; others are found by their id and what `operators.search` names. */
  readonly searched?: readonly SearchedKind[]
  /** Which records belong to the timeline of an object. */
  readonly timeline?: TimelineDeclaration
  /** What becomes of its tables when an organisation moves to another cell. */
  readonly moves?: MoveDeclaration
  /** What it does when the database was restored to an earlier point. */
  readonly restore?: RestoreDeclaration
}
