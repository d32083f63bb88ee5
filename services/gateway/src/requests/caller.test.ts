import { type Actor, newId } from '@payments/kernel'
import { expect, test } from 'vitest'
import type { RequestContext } from '../operations/request-context.ts'
import type { State } from '../operations/state.ts'
import { callers } from './caller.ts'

const session = (role: Actor['role']): Actor => ({
  ...{ kind: 'session', scopes: [], suspended: false, organisationId: newId(), environment: 'test', role },
})

test('what is still open is checked again with the access that it needs: an operator who is none any more loses it', () => {
  let actor = session('operator')
  const { recheck } = callers({ actorOf: () => actor } as unknown as Parameters<typeof callers>[0])
  const again = () => recheck({} as State, 'operator', {} as RequestContext)
  expect(again).not.toThrow()
  actor = session('owner')
  expect(again).toThrow('Operator role required')
})
