import { expect, test } from 'vitest'
import { sharedRead } from './shared-read.ts'

/** A read that is answered by hand, with how often it has begun. */
function byHand() {
  const open: PromiseWithResolvers<number>[] = []
  const read = sharedRead(() => {
    const answer = Promise.withResolvers<number>()
    open.push(answer)
    return answer.promise
  })
  return { open, read, answer: (n: number) => open[n]?.resolve(n) }
}

test('who asks in one turn shares a read, and who asks while it is under way the next one, which begins after each of them asked', async () => {
  const { open, read, answer } = byHand()
  const first = [read(), read()]
  expect(open.length, 'others may ask in this turn').toBe(0)
  await expect.poll(() => open.length).toBe(1)
  const later = [read(), read(), read()]
  answer(0)
  expect(await Promise.all(first)).toEqual([0, 0])
  await expect.poll(() => open.length).toBe(2)
  const last = read()
  answer(1)
  expect(await Promise.all(later)).toEqual([1, 1, 1])
  await expect.poll(() => open.length).toBe(3)
  answer(2)
  expect(await last).toBe(2)
  const again = read()
  await expect.poll(() => open.length).toBe(4)
  answer(3)
  expect(await again).toBe(3)
})

test('a read that fails fails for those that share it, and not for the next', async () => {
  const { open, read, answer } = byHand()
  const first = read()
  await expect.poll(() => open.length).toBe(1)
  const later = [read(), read()]
  open[0]?.reject(new Error('lost'))
  await expect(first).rejects.toThrow('lost')
  await expect.poll(() => open.length).toBe(2)
  open[1]?.reject(new Error('lost again'))
  const failed = await Promise.allSettled(later)
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  const next = read()
  await expect.poll(() => open.length).toBe(3)
  answer(2)
  expect(await next).toBe(2)
})

test('however many ask, the value that was written before they asked is what they read', async () => {
  let [written, reads] = [0, 0]
  const read = sharedRead(async () => {
    reads++
    const value = written
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 3))
    return value
  })
  await Promise.all(
    Array.from({ length: 500 }, async () => {
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 50))
      const least = ++written
      expect(await read()).toBeGreaterThanOrEqual(least)
    }),
  )
  expect(reads).toBeLessThan(150)
})
