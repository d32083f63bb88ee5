import { generateKeyPairSync } from 'node:crypto'
import { random, startMailbox, startStand } from '@payments/stand'
import type { Proof, ProofReport } from '../../proof.ts'
import { begin } from './begin.ts'
import { compareAll } from './compare.ts'
import { Model } from './model/model.ts'
import { passTenMinutes, passTime } from './model/passing-time.ts'
import { People } from './model/people.ts'
import { Finding, Run } from './run.ts'
import { Choices } from './steps/choices.ts'
import { pairs } from './steps/pairs.ts'
import { steps } from './steps/steps.ts'
import { Thief } from './steps/thief.ts'

const STEPS = { short: 600, full: 10_000 } as const
const OPERATORS = ['operator-0@example.com', 'operator-1@example.com', 'operator-2@example.com']
/** Steps after which all rows and emails are compared. */
const COMPARE_EVERY = 100
/** Steps after which codes and confirmations are made older. Fewer than the service executes in 10 minutes. */
const AGE_EVERY = 250
/** Steps after which users exchange their refresh tokens: access tokens are valid for 15 minutes. */
const REFRESH_EVERY = 1000
/** Of a hundred steps: those of thieves, and those before which a time passes. */
const [THIEVES, TIMES] = [45, 5]

/** Of a hundred steps of users: those that two make at the same time. */
const PAIRS = 8

/**
 * Users sign in, invite, join, change roles, make keys and leave at random, some of them at the same time, while a thief who holds one
 * stolen thing at a time tries everything with it. A model of users, roles, invitations, sessions, codes and keys, written from the documents, says what each
 * request may do: every answer is compared with it, and at intervals every row and every email. Half of the steps are taken where everybody
 * may register, half where only whom an operator invited. The first difference is the finding.
 */
export const run: Proof = async ({ size, seed, times, log }) => {
  const limit = Math.ceil((times ?? STEPS[size]) / 2)
  const open = await runWith('open', { limit, seed, log })
  const invite = await runWith('invite', { limit, seed, log })
  return {
    findings: [...open.findings, ...invite.findings],
    figures: { registrationOpen: open.figures, registrationByInvitation: invite.figures },
  }
}

async function runWith(
  registration: 'open' | 'invite',
  { limit, seed, log }: { readonly limit: number; readonly seed: number; readonly log: (line: string) => void },
): Promise<ProofReport> {
  const mailbox = await startMailbox()
  const { privateKey } = generateKeyPairSync('ed25519')
  const stand = await startStand({
    ...{ SMTP_URL: mailbox.url, TRUST_PROXY: 'loopback', LIVE_ACCESS: 'approved', REGISTRATION: registration },
    ...{
      OPERATOR_EMAILS: OPERATORS.join(','),
      JWT_PRIVATE_KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    },
  })
  const model = new Model(OPERATORS, registration)
  const one = new Run({ stand, mailbox, model, random: random(seed), seed, signingKey: privateKey })
  const choices = new Choices(model, one.random)
  const people = new People(one, choices)
  const thief = new Thief(one, choices, people)
  const usual = steps(one, choices, people)
  const atOnce = pairs(one, choices, people)
  const findings: string[] = []
  let comparisons = 0
  let pairsSent = 0
  try {
    await begin(one, people)
    for (one.step = 1; one.step <= limit; one.step++) {
      if (one.random.below(100) < TIMES) await passTime(one, choices)
      // A step for which there is nobody, such as one of an operator who is not signed in, is chosen again.
      const before = one.requests
      while (one.requests === before) {
        if (one.random.below(100) < THIEVES) await thief.step()
        else if (one.random.below(100) < PAIRS) {
          await one.random.pick(atOnce)()
          if (one.requests > before) pairsSent++
        } else await choices.weighted(usual)()
      }
      if (one.step % AGE_EVERY === 0) await passTenMinutes(one)
      if (one.step % REFRESH_EVERY === 0) {
        thief.drop()
        for (const session of model.active()) await people.refresh(session)
      }
      if (one.step % COMPARE_EVERY === 0 || one.step === limit) {
        await compareAll(one)
        comparisons++
      }
      if (one.step % 500 === 0) log(`${one.step} steps, registration ${registration}`)
    }
  } catch (error) {
    if (!(error instanceof Finding)) throw error
    findings.push(`REGISTRATION=${registration}, ${error.message}`)
  } finally {
    await stand.stop()
    await mailbox.close()
  }
  return {
    findings,
    figures: {
      steps: Math.min(one.step, limit),
      requests: one.requests,
      pairs: pairsSent,
      outcomes: Object.fromEntries([...one.outcomes].sort(([, a], [, b]) => b - a)),
      thefts: Object.fromEntries([...one.thefts].sort(([a], [b]) => a.localeCompare(b))),
      emails: [...model.emails.values()].reduce((total, count) => total + count, 0),
      comparisons,
      organisations: model.organisations.size,
      users: model.users.size,
      sessions: model.sessions.length,
      keys: model.keys.length,
      invitations: model.invitations.all.length,
    },
  }
}
