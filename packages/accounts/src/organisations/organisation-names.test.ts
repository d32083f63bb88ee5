import { expect, test } from 'vitest'
import { call, useService } from '#testing'

const service = useService()

test('letters of several alphabets in the name of an organisation are refused with the field', async () => {
  for (const organisationName of ['Аda Ltd', 'Ada Lтd', 'Αda', 'Ada Մaրի', 'Ꭺda', 'ΑдА', 'Ada Ltd Ꮪ']) {
    const body = { email: 'mixed@example.com', organisationName }
    const reply = await call(service, 'POST /v1/auth/register', { body, key: null })
    expect([organisationName, reply.status, reply.body.errors]).toEqual([
      organisationName,
      422,
      { organisationName: 'Must not mix letters of several alphabets' },
    ])
  }
})
