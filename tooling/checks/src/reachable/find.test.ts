import { expect, test } from 'vitest'
import { codeBlocks, reachableIn } from './find.ts'

test('addresses and hosts of others are found, in every place where one can stand', () => {
  for (const [text, found] of [
    ["fetch('http://8.8.8.8/')", '8.8.8.8'],
    ["const ip = '93.184.216.34'", '93.184.216.34'],
    ["'[::ffff:8.8.4.4]'", '8.8.4.4'],
    ["'2606:4700::1111'", '2606:4700::1111'],
    ["'https://[2a00:1450::1]/'", '2a00:1450::1'],
    ["fetch('https://api.stripe.com/v1')", 'api.stripe.com'],
    ["'https://user:secret@hooks.slack.com'", 'hooks.slack.com'],
    ["email: 'ada@gmail.com'", 'gmail.com'],
    ["host: 'smtp.mailgun.org'", 'smtp.mailgun.org'],
    ["'wss://stream.binance.com:9443'", 'stream.binance.com'],
  ])
    expect([text, reachableIn(text as string)]).toEqual([text, [found]])
})

test('loopback, documentation, private and reserved addresses and names, versions and times are not found', () => {
  for (const text of [
    "'127.0.0.1' '0.0.0.0' '192.0.2.7' '198.51.100.1' '203.0.113.9' '10.0.0.0/8' '169.254.169.254'",
    "'::1' '2001:db8::7' '3fff::1' 'fe80::1' 'fd00::1' '::ffff:127.0.0.1' '64:ff9b::127.0.0.1' '2002:7f00:1::'",
    "'https://merchant.example/hooks' 'https://api.example.com' 'ada@example.com' 'smtp://mail.invalid' 'https://a.test'",
    "import { x } from './money.test.ts' // pnpm@12.21.0, 12:30:45, std::vector, a@b",
    'http://gateway/ http://localhost:4000',
  ])
    expect([text, reachableIn(text)]).toEqual([text, []])
})

test('of Markdown only the code blocks are searched', () => {
  const text = 'See https://www.standardwebhooks.com\n\n```sh\ncurl https://api.stripe.com\n```\n'
  expect(reachableIn(codeBlocks(text))).toEqual(['api.stripe.com'])
})
