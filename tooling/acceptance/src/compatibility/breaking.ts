import type { Contract, OperationContract } from './contract.ts'
import { schemaComparison } from './schemas.ts'

type Comparison = ReturnType<typeof schemaComparison>

/**
 * What in `next` would break a client that was written against `base`, one sentence each; empty when nothing does. Operations keep their
 * names, requests may only become more tolerant and replies and events only richer, and what clients branch on (status, code, message) stays.
 */
export function breaking(base: Contract, next: Contract): string[] {
  const comparison = schemaComparison(base.schemas, next.schemas)
  const found = [
    ...Object.entries(base.operations).flatMap(([id, old]) => {
      const now = next.operations[id]
      const where = `${old.method} ${old.path}`
      return now ? operation(where, old, now, comparison) : [`${where} is gone as ${id}`]
    }),
    ...Object.entries(base.events).flatMap(([type, old]) => {
      const now = next.events[type]
      if (!now) return [`The event ${type} is gone`]
      return [
        ...(now.optIn && !old.optIn ? [`The event ${type} is sent only where it is listed`] : []),
        ...comparison.reply({ where: `The event ${type}`, base: old.payload, next: now.payload }),
      ]
    }),
    ...Object.entries(base.errors).flatMap(([code, { status, message }]) => {
      const now = next.errors[code]
      if (!now) return [`The error ${code} is gone`]
      return [
        ...(now.status === status ? [] : [`The error ${code} has the status ${now.status}, not ${status}`]),
        ...(now.message === message ? [] : [`The error ${code} no longer says "${message}"`]),
      ]
    }),
  ]
  return [...new Set(found)]
}

/** Who may call, from anyone on, and what a key needs. */
const ACCESS = ['public', 'key', 'session'] as const
const SCOPES = [undefined, 'api:read', 'api:write'] as const

function operation(where: string, old: OperationContract, now: OperationContract, compare: Comparison): string[] {
  const nothing = { type: 'object', properties: {} }
  const types = Object.keys(old.reply.content)
  return [
    ...(now.method === old.method && now.path === old.path ? [] : [`${where} is now ${now.method} ${now.path}`]),
    ...(ACCESS.indexOf(now.access) > ACCESS.indexOf(old.access) ? [`${where} newly needs a ${now.access}`] : []),
    ...(old.access === 'key' && now.access === 'key' && SCOPES.indexOf(now.scope) > SCOPES.indexOf(old.scope)
      ? [`${where} newly needs the scope ${now.scope}`]
      : []),
    ...parameters(where, old, now, compare),
    ...(old.request && !now.request ? [`${where} takes no body any more`] : []),
    ...(now.request
      ? compare.request({ where: `${where} body`, base: old.request ?? nothing, next: now.request })
      : []),
    ...(now.reply.status === old.reply.status ? [] : [`${where} answers ${now.reply.status}, not ${old.reply.status}`]),
    ...(now.reply.message === old.reply.message ? [] : [`${where} no longer says "${old.reply.message}"`]),
    ...old.reply.headers
      .filter((name) => !now.reply.headers.includes(name))
      .map((name) => `${where} lost the header ${name}`),
    ...types.flatMap((type) => {
      const [base, next] = [old.reply.content[type] ?? {}, now.reply.content[type]]
      return next ? compare.reply({ where: `${where} reply`, base, next }) : [`${where} no longer answers ${type}`]
    }),
    ...old.errors
      .filter((code) => !now.errors.includes(code))
      .map((code) => `${where} no longer answers the error ${code}`),
  ]
}

function parameters(where: string, old: OperationContract, now: OperationContract, compare: Comparison): string[] {
  const key = (each: { in: string; name: string }) => `${each.in} parameter ${each.name}`
  const before = new Map(old.parameters.map((each) => [key(each), each]))
  const after = new Map(now.parameters.map((each) => [key(each), each]))
  return [
    ...[...after]
      .filter(([name, each]) => each.required && !before.get(name)?.required)
      .map(([name]) => `${where} newly requires ${name}`),
    ...[...before].flatMap(([name, each]) => {
      const own = after.get(name)
      return own
        ? compare.request({ where: `${where} ${name}`, base: each.schema, next: own.schema })
        : [`${where} lost ${name}`]
    }),
  ]
}
