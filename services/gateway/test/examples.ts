import { newId } from '@payments/kernel'
import { z } from 'zod'
import type { RestOperation } from '../src/operations/operations.ts'

// Requests that any operation accepts, made from its own schema, so that a new operation joins the tests by itself.

type Schema = {
  $ref?: string
  $defs?: Record<string, Schema>
  type?: string
  enum?: unknown[]
  format?: string
  example?: unknown
  required?: string[]
  properties?: Record<string, Schema>
}

/** The smallest body that an operation's schema asks for. `real`: ids of records, in place of those of the examples. */
export function bodyOf(operation: RestOperation, real: Record<string, string> = {}): Record<string, unknown> {
  const schema = z.toJSONSchema(operation.operation.input, { io: 'input', unrepresentable: 'any' }) as Schema
  return Object.fromEntries(
    (schema.required ?? [])
      .filter((name) => !operation.placeholders.includes(name))
      .map((name) => [name, real[name] ?? example(name, resolved(schema.properties?.[name] ?? {}, schema))]),
  )
}

const resolved = (part: Schema, whole: Schema): Schema =>
  part.$ref ? { ...whole.$defs?.[part.$ref.split('/').at(-1) ?? ''], ...part } : part

function example(name: string, schema: Schema): unknown {
  if (schema.example !== undefined) return schema.example
  if (schema.enum) return schema.enum[0]
  if (name === 'url') return 'https://merchant.example/hooks'
  if (name === 'code') return '000000'
  if (schema.format === 'date-time') return new Date().toISOString()
  if (schema.type === 'integer' || schema.type === 'number') return 1
  if (schema.type === 'object') return {}
  if (schema.type === 'array') return []
  return /id$/i.test(name) ? newId() : 'text'
}
