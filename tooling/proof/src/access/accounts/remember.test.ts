import { expect, test } from 'vitest'
import { remember } from './remember.ts'

test('everything that an object reaches is put back into the same objects', () => {
  const shared = { ended: false, code: undefined as string | undefined }
  const root = { list: [shared], byId: new Map([['a', { of: shared }]]), names: new Set(['a']), count: 1 }
  const before = structuredClone(root)
  const restore = remember(root)
  const { list, byId, names } = root
  shared.ended = true
  shared.code = '1'
  Object.assign(shared, { later: true })
  list.push({ ended: true, code: '2' })
  byId.set('b', { of: shared })
  byId.delete('a')
  names.add('b')
  root.count = 2
  restore()
  expect(root).toEqual(before)
  expect([root.list === list, root.list[0] === shared, root.byId.get('a')?.of === shared]).toEqual([true, true, true])
})
