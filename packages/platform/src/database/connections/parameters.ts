import { PostgreSqlConnection, PostgreSqlDriver } from '@mikro-orm/postgresql'
import { CompiledQuery } from 'kysely'
import { toSendable } from './client.ts'

/**
 * The ORM's driver for connections that prepare what they repeat: it sends values as parameters. The ORM itself writes them into the text, so
 * that no two of its statements are the same.
 */
export class ParameterDriver extends PostgreSqlDriver {
  protected override readonly connection = new ParameterConnection(this.config)
}

class ParameterConnection extends PostgreSqlConnection {
  override async execute<T>(...given: Parameters<PostgreSqlConnection['execute']>): Promise<T> {
    const [query, params, method = 'all', transaction, logging] = given
    const statement =
      typeof query === 'string' && Array.isArray(params)
        ? withParameters(this.config.get('onQuery')(query, params), params)
        : undefined
    if (!statement) return (await super.execute(...given)) as T
    await this.ensureConnection()
    return this.executeQuery(
      statement.sql,
      async () => this.transformRawResult<T>(await (transaction ?? this.getClient()).executeQuery(statement), method),
      logging,
    )
  }
}

/** A value, or an escaped question mark, as the ORM writes them. */
const PLACEHOLDER = /\\?\?/g
/** A number of rows stays in the text: the server plans for it. */
const ROWS = /\b(?:limit|offset) $/

/** The statement, or nothing where a part of it is no single literal: a list, a fragment, an identifier (`??`). */
function withParameters(text: string, params: readonly unknown[]): CompiledQuery | undefined {
  if (text.includes('??') || !params.every(isLiteral)) return undefined
  const values: ReturnType<typeof toSendable>[] = []
  let next = 0
  const sql = text.replace(PLACEHOLDER, (placeholder, offset: number) => {
    if (placeholder !== '?') return '?'
    const value = params[next++]
    const isInText = value === null || typeof value === 'boolean' || ROWS.test(text.slice(0, offset))
    return isInText ? String(value) : `$${values.push(toSendable(value))}`
  })
  return CompiledQuery.raw(sql, values)
}

const LITERALS = new Set(['string', 'number', 'bigint', 'boolean'])
const isLiteral = (value: unknown): boolean => value === null || value instanceof Date || LITERALS.has(typeof value)
