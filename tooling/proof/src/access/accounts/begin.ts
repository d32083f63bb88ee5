import type { People } from './model/people.ts'
import { invite } from './requests/invitations.ts'
import { changeOrganisation } from './requests/operators.ts'
import type { Run } from './run.ts'

const ORGANISATIONS = 4

/** What a run begins with: organisations of two owners each, with live access, and an operator. */
export async function begin(run: Run, people: People): Promise<void> {
  const { model } = run
  const person = (number: number) => `person-${number}@example.com`
  await people.signIn(model.operatorEmails[0] as string)
  const [operator] = model.sessions
  for (let number = 0; number < ORGANISATIONS; number++) {
    if (operator && model.registration === 'invite')
      await run.perform(people.actor(operator), invite(model, person(number), 'owner'))
    await people.register(person(number))
    const founder = model.sessions.at(-1)
    if (!operator || !founder) throw new Error('Nobody is signed in')
    const second = person(ORGANISATIONS + number)
    await run.perform(people.actor(founder), invite(model, second, 'owner'))
    await people.signIn(second)
    await run.perform(people.actor(operator), changeOrganisation(model, founder.organisationId, 'enable-live'))
  }
}
