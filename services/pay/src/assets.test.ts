import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { assets } from './assets.ts'

const size = (path: string) => gzipSync(assets.find((each) => each.path === path)?.read() ?? '', { level: 9 }).length

test('the script of the pay page stays below 30 kB compressed, what it loads for a wallet below 3 kB, and that of embedding sites below 5 kB', () => {
  for (const wallets of ['/pay/injected.js', '/pay/standard.js']) {
    expect(size(wallets)).toBeGreaterThan(300)
    expect(size(wallets)).toBeLessThan(3000)
  }
  expect(size('/pay/page.js')).toBeGreaterThan(1000)
  expect(size('/pay/page.js') + size('/embed.js')).toBeLessThan(30_000)
  expect(size('/embed.js')).toBeGreaterThan(300)
  expect(size('/embed.js')).toBeLessThan(5_000)
})

test('the scripts name no other host', () => {
  for (const { path, read } of assets)
    expect({
      path,
      hosts: read()
        .toString()
        .match(/https?:\/\/(?!www\.w3\.org\/2000\/svg)[\w.-]+/g),
    }).toEqual({ path, hosts: null })
})
