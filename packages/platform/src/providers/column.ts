import { hash } from 'node:crypto'
import { p } from '@mikro-orm/core'
import type { Provider } from '@payments/kernel'

/** Rows of one batch: each is committed by itself, so that no request waits for long. */
const BATCH = 2000

/**
 * Statements of a migration that add the name of its provider to every row of an existing table: `sandbox` in the test environment,
 * `live` elsewhere. Rows that a process of the release before inserts meanwhile get the same.
 */
export const addProvider = (table: string, live: string): string[] => [
  // A constant default is not written to existing rows; new ones say it themselves, or the trigger does.
  `alter table ${table} add column provider text not null default '${live}'`,
  `alter table ${table} alter column provider drop default`,
  `create trigger ${table}_provider before insert on ${table} for each row
     when (new.provider is null) execute function default_provider('${live}')`,
]

/** The statement of a `concurrently` step that corrects what {@link addProvider} left to it: the rows of the test environment. */
export const nameSandbox = (table: string): string => `do $$
  declare
    last uuid := '00000000-0000-0000-0000-000000000000';
    batch uuid[];
  begin
    loop
      select array_agg(id order by id) into batch from (
        select id from ${table} where id > last and environment = 'test' and provider <> 'sandbox' order by id limit ${BATCH}) of_test;
      exit when batch is null;
      update ${table} set provider = 'sandbox' where id = any (batch);
      commit;
      last := batch[array_upper(batch, 1)];
    end loop;
  end $$`

/** Statements of a `concurrently` step that replace an index by another of the same name, while it is used. */
export const replaceIndex = (name: string, definition: string): string[] => [
  `drop index concurrently if exists ${name}_next`,
  `create index concurrently ${name}_next on ${definition}`,
  `drop index concurrently if exists ${name}`,
  `alter index ${name}_next rename to ${name}`,
]

// An account of a provider shows its own objects only, and says of those of another account that they do not exist. So an object keeps which
// credentials created it, and is asked about with the same ones only.

const DIGITS = 16

/**
 * What an adapter says as `credentials`: the same for the same secrets, and nothing follows from it. `secrets` are what the provider knows the
 * account by, such as its API key, each of at least 16 random characters; not what only signs callbacks.
 */
export const credentialsFingerprint = (provider: string, ...secrets: readonly string[]): string =>
  hash('sha256', JSON.stringify([provider, ...secrets])).slice(0, DIGITS)

/** The column of an object that a provider carries: {@link Provider.credentials} when it was created; null: not known. */
export const credentialsColumn = () => ({ credentials: p.text().nullable() })

/** The statement of a migration that adds {@link credentialsColumn} to a table. */
export const addCredentials = (table: string): string => `alter table ${table} add column credentials text`

/** An object that {@link credentialsColumn} is a part of. */
interface Credentialed {
  readonly credentials?: string | null
}

/** Was the object created with other credentials than those of now? Then the provider must not be asked about it: it would not know it. */
export const hasOtherCredentials = ({ credentials }: Provider, object: Credentialed): boolean =>
  object.credentials != null && credentials !== undefined && object.credentials !== credentials

/** SQL: the opposite for a row's column: it belongs to the credentials of now (a parameter, null: there are none), or nobody knows to which. */
export const withSameCredentials = (now: string, column = 'credentials'): string =>
  `(${column} is null or ${now}::text is null or ${column} = ${now})`

/** The `attention` of an object that waits for the credentials that created it. */
export const OTHER_CREDENTIALS = 'other_credentials'
