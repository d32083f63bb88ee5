import { rowProblem } from '../compare.ts'
import { remember } from '../remember.ts'
import type { Request } from '../requests/request.ts'
import { type Actor, dataOf, problemOf, type Run } from '../run.ts'

/** A request and who makes it. */
export interface Attempt {
  readonly actor: Actor
  readonly request: Request
}

/** What ends the session that it is sent with does so once, however many begin at once. */
const ENDS_OWN = /auth\/(logout|organisation)$/

/** A session counts when a request begins: what has begun goes on, unless a membership or a role has ended. */
const endedMeanwhile = ({ credential }: Actor): boolean =>
  credential.kind === 'session' && credential.session.ended && !credential.session.removed

/**
 * Sends two requests at once. What both answered, and every row afterwards, must be what the model says of one after the other, in one of
 * both orders.
 * @returns the data of both replies
 * @throws Finding when it is so in neither order
 */
export async function performAtOnce(run: Run, pair: readonly [Attempt, Attempt]) {
  const { model, stand } = run
  for (const { request } of pair) if (request.before) await stand.runtime.pool.query(request.before)
  const callers = pair.map(({ actor, request }) => run.admit(actor, request))
  const answers = await Promise.all(pair.map(({ actor, request }) => run.send(actor, request)))
  const sent = pair.map((attempt, index) => ({
    ...attempt,
    answer: answers[index] as (typeof answers)[number],
    began: callers[index] as (typeof callers)[number],
  }))
  const problems: string[] = []
  for (const order of [sent, sent.toReversed()]) {
    const restore = remember(model)
    let problem: string | undefined
    for (const [position, { actor, request, answer, began }] of order.entries()) {
      const goesOn = position === 1 && answer.status !== 401 && endedMeanwhile(actor) && !ENDS_OWN.test(request.line)
      const expected = goesOn ? run.expect(actor, request, began) : run.expect(actor, request)
      // What the first took away from the second may refuse it at any place: it changes nothing.
      if (position === 1 && typeof expected === 'string' && answer.status >= 400 && answer.status < 500) continue
      problem = problemOf(expected, answer)
      if (problem) break
      run.apply(expected, answer)
    }
    problem ??= await rowProblem(run)
    if (!problem) {
      await run.readCodes()
      return answers.map((answer) => (answer.status < 300 ? dataOf(answer) : undefined))
    }
    restore()
    problems.push(problem)
  }
  throw run.finding(`two requests at once are in neither order as the model says: ${problems.join('; or ')}`)
}
