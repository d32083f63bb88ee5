import type { IdentityAnswer, IdentityProvider } from '@payments/cngn'
import { z } from 'zod'
import { type QoreidOptions, qoreidPost, tokenOf } from './token.ts'

const Check = z
  .object({
    status: z.string(),
    fieldMatches: z.object({ firstname: z.boolean().nullish(), lastname: z.boolean().nullish() }).nullish(),
  })
  .nullish()
/** `bvn_match_check` of the match, `bvn_check` of the basic product. */
const Match = z.object({ summary: z.object({ bvn_match_check: Check, bvn_check: Check }) })

const OUTCOMES: Readonly<Record<string, IdentityAnswer['outcome']>> = {
  EXACT_MATCH: 'match',
  PARTIAL_MATCH: 'partial',
  NO_MATCH: 'mismatch',
}
/**
 * Does the number belong to the names? The fields of the name decide: a telephone number in another format than the bank's makes the
 * overall status a partial match. Without both fields the overall status is all there is.
 */
function outcomeOf(check: z.output<typeof Check>): IdentityAnswer['outcome'] {
  const { firstname, lastname } = check?.fieldMatches ?? {}
  if (typeof firstname === 'boolean' && typeof lastname === 'boolean')
    return firstname && lastname ? 'match' : firstname || lastname ? 'partial' : 'mismatch'
  const status = check?.status ?? ''
  return Object.hasOwn(OUTCOMES, status) ? (OUTCOMES[status] ?? 'unavailable') : 'unavailable'
}

const Problem = z.object({ message: z.string() })
/** A 404 about the number names it, or the record. That of a wrong address names a path, or nothing. */
const isNoSuchNumber = (value: unknown): boolean => {
  const message = Problem.safeParse(value).data?.message ?? ''
  return /\b(bvn|record|identity)\b/i.test(message) && !/\bcannot (get|post)\b|\//i.test(message)
}

/** A token is replaced this long before its end, ms. */
const EARLY_MS = 60_000
const UNAVAILABLE: IdentityAnswer = { outcome: 'unavailable' }

/**
 * BVN checks over QoreID's match, which tells whether the names belong to the number and returns no personal data. The BVN is in the
 * path of the request, because the API wants it there; nothing of a request or an answer is logged or thrown. Whatever is not an answer
 * about the number is `unavailable`, and asked again later.
 */
export function qoreid(options: QoreidOptions): IdentityProvider {
  const post = qoreidPost(options)
  let token: { readonly value: string; readonly until: number } | undefined

  async function bearer(): Promise<string | undefined> {
    if (token && token.until > Date.now()) return token.value
    const answer = await tokenOf(post, options)
    const fresh = 'token' in answer ? answer.token : undefined
    token = fresh && { value: fresh.value, until: Date.now() + fresh.seconds * 1000 - EARLY_MS }
    return fresh?.value
  }

  return {
    name: 'qoreid',
    async verifyBvn({ bvn, firstName, lastName, phoneNumber }) {
      const value = await bearer()
      if (!value) return UNAVAILABLE
      const body = { firstname: firstName, lastname: lastName, ...(phoneNumber ? { phone: phoneNumber } : {}) }
      const answer = await post(`/v1/ng/identities/bvn-match/${bvn}`, body, value).catch(() => undefined)
      if (!answer) return UNAVAILABLE
      if (answer.status === 401) token = undefined
      if (answer.status === 404) return isNoSuchNumber(answer.body) ? { outcome: 'not_found' } : UNAVAILABLE
      const { summary } = (answer.status < 300 ? Match.safeParse(answer.body).data : undefined) ?? {}
      return { outcome: outcomeOf(summary?.bvn_match_check ?? summary?.bvn_check) }
    },
  }
}
