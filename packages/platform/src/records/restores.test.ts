import { beforeEach, expect, test } from 'vitest'
import { useService } from '#testing'
import { declareRestore, openRestore } from './restores.ts'

const service = useService()
beforeEach(async () => {
  await service.runtime.pool.query('delete from database_origin')
  await service.runtime.pool.query('delete from restores')
})

test('a database that is served where it was is no restore; a copy of it is, until it is reconciled', async () => {
  const { pool } = service.runtime
  expect([await openRestore(pool), await openRestore(pool)]).toEqual([null, null])
  // What a dump that is restored elsewhere has in it.
  await pool.query("update database_origin set cluster = '1/1'")
  const found = await openRestore(pool)
  expect(found).toMatchObject({ reason: 'copied', restoredTo: null, securedAt: null })
  expect(await openRestore(pool)).toEqual(found)
  await pool.query('update restores set reconciled_at = now()')
  expect(await openRestore(pool)).toBeNull()
})

test('a recovery that was told to stop at a point is a restore, once; the removal of the target is none', async () => {
  const { pool } = service.runtime
  await openRestore(pool)
  await pool.query("update database_origin set recovery_target = 'recovery_target_time=2026-01-01 00:00:00+00'")
  expect(await openRestore(pool)).toBeNull()
  const asked: string[] = []
  const recovered = {
    async query<R extends object>(text: string, values?: unknown[]) {
      asked.push(text)
      const answer = await pool.query<R>(text, values)
      if (!text.includes('pg_settings')) return answer
      return { rows: answer.rows.map((row) => ({ ...row, recovery_target: 'recovery_target_lsn=0/5000000' })) }
    },
  }
  expect(await openRestore(recovered)).toMatchObject({ reason: 'recovered' })
  await pool.query('update restores set reconciled_at = now()')
  expect(await openRestore(recovered)).toBeNull()
  expect(asked[0]).toContain('recovery_target_time')
})

test('operators declare a restore that the database does not show', async () => {
  const { pool } = service.runtime
  expect(await openRestore(pool)).toBeNull()
  await declareRestore(pool)
  expect(await openRestore(pool)).toMatchObject({ reason: 'declared' })
})
