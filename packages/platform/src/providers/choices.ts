import { errorCode, type Provider, ServiceError, type Tenant } from '@payments/kernel'
import { newRow } from '../database/written.ts'
import type { UnitOfWork } from '../operations/context/context.ts'
import type { TimelineSource } from '../operations/context/timeline.ts'
import { ProviderChoiceEntity } from './entities.ts'

/** What a provider answered when it was asked to carry an object: its offer, as an operator reads it, or the code of its error. */
interface Asked {
  readonly provider: string
  readonly offer?: string
  readonly error?: string
}

/** Why a provider carries an object. */
export interface ProviderChoice {
  readonly provider: string
  readonly because: string
  readonly asked: readonly Asked[]
}

/** The provider that carries a new object, what it answered, and why it was chosen; undefined where there was nothing to choose. */
export interface Chosen<P, T> {
  readonly provider: P
  readonly answer: T
  readonly choice: ProviderChoice | undefined
}

type Ask<P, T> = (provider: P) => Promise<T>

/** Another provider may take what this one refuses, or cannot do now. What is wrong with our own objects is wrong for all. */
const mayAskAnother = (error: unknown): boolean =>
  !(error instanceof ServiceError) || error.status === 422 || error.status >= 500

/**
 * Asks providers in their order until one answers. Only for calls that move no money: what one did that did not answer in time stays
 * unused.
 * @throws the error of the first, when none answers
 */
export async function firstAnswer<P extends Provider, T>(
  candidates: readonly P[],
  ask: Ask<P, T>,
): Promise<Chosen<P, T>> {
  const asked: Asked[] = []
  let refusal: unknown
  for (const provider of candidates) {
    try {
      const answer = await ask(provider)
      const because = asked.length === 0 ? 'first in order' : 'first in order that answered'
      return {
        provider,
        answer,
        choice: choiceOf(candidates, provider, because, [...asked, { provider: provider.name }]),
      }
    } catch (error) {
      if (!mayAskAnother(error)) throw error
      refusal ??= error
      asked.push({ provider: provider.name, error: errorCode(error) })
    }
  }
  throw refusal
}

/**
 * Asks all providers at once and takes the best offer; of equal ones, the first in their order.
 * @param rank what is compared, lower is better; `show`: the offer as an operator reads it
 * @throws the error of the first, when none answers
 */
export async function bestAnswer<P extends Provider, T>(
  candidates: readonly P[],
  ask: Ask<P, T>,
  { rank, show }: { rank(answer: T): bigint; show(answer: T): string },
): Promise<Chosen<P, T>> {
  const settled = await Promise.allSettled(candidates.map(ask))
  const offers = candidates.flatMap((provider, index) => {
    const each = settled[index]
    return each?.status === 'fulfilled' ? [{ provider, answer: each.value }] : []
  })
  const [best] = offers.toSorted((a, b) =>
    rank(a.answer) < rank(b.answer) ? -1 : rank(a.answer) > rank(b.answer) ? 1 : 0,
  )
  if (!best) throw settled.find((each) => each.status === 'rejected')?.reason
  const asked = candidates.map(({ name }, index): Asked => {
    const each = settled[index]
    return each?.status === 'fulfilled'
      ? { provider: name, offer: show(each.value) }
      : { provider: name, error: errorCode(each?.reason) }
  })
  const because = offers.length > 1 ? 'best offer' : 'the only offer'
  return { ...best, choice: choiceOf(candidates, best.provider, because, asked) }
}

const choiceOf = (
  candidates: readonly Provider[],
  { name: provider }: Provider,
  because: string,
  asked: readonly Asked[],
): ProviderChoice | undefined => (candidates.length > 1 ? { provider, because, asked } : undefined)

/** Keeps with the commit why a provider carries a new object. */
export function recordChoice(
  unit: UnitOfWork,
  { id, organisationId, environment }: Tenant & { readonly id: string },
  choice: ProviderChoice | undefined,
): void {
  if (!choice) return
  const row = { resourceId: id, organisationId, environment, ...choice, createdAt: new Date() }
  unit.appendToCommit(newRow(unit.runtime, ProviderChoiceEntity, row))
}

interface Row {
  resource_id: string
  provider: string
  because: string
  asked: readonly Asked[]
  created_at: string
}

/** Who was asked to carry an object and who carries it, for operators only. */
export const choiceTimeline: TimelineSource = async (db, { organisationId, environment, ids, limit, forOperators }) => {
  if (!forOperators) return { entries: [], total: 0 }
  const { rows } = await db.query<Row>(
    `select resource_id, provider, because, asked, created_at from provider_choices
      where organisation_id = $1 and environment = $2 and resource_id = any ($3::uuid[]) order by created_at desc limit $4`,
    [organisationId, environment, ids, limit],
  )
  const entries = rows.map((row) => ({
    kind: 'provider_choice' as const,
    at: new Date(row.created_at),
    id: row.resource_id,
    resourceId: row.resource_id,
    summary: `${row.provider} chosen: ${row.because}`,
    details: {
      provider: row.provider,
      because: row.because,
      asked: row.asked
        .map(({ provider, offer, error }) => [provider, offer ?? error].filter(Boolean).join(': '))
        .join('; '),
    },
  }))
  return { entries, total: entries.length }
}
