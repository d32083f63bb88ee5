import { type Actor, newId } from '@payments/kernel'
import { expect, test } from 'vitest'
import type { RequestContext } from '../operations/request-context.ts'
import type { State } from '../operations/state.ts'
import { callers } from './caller.ts'

const session = (role: Actor['role']): Actor => ({
  ...{ kind: 'session', scopes: [], suspended: false, organisationId: newId(), environment: 'test', role },
})

test('what is still open is checked again with what it needs: who is no operator any more, or has another role, loses it', () => {
  let actor = session('operator')
  const { recheck } = callers({ actorOf: () => actor } as unknown as Parameters<typeof callers>[0])
  let required: Parameters<typeof recheck>[1] = { access: 'operator', role: 'any' }
  const again = () => recheck({} as State, required, {} as RequestContext)
  expect(again).not.toThrow()
  actor = session('owner')
  expect(again).toThrow('Operator role required')
  required = { access: 'write', role: 'finance' }
  expect(again).not.toThrow()
  actor = session('developer')
  expect(again).toThrow('Finance role required')
})
