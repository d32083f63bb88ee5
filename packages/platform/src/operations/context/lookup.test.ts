import { bind, extension, type Port, port } from '@payments/kernel'
import { expect, test } from 'vitest'
import { type ProviderControl, providers } from './lookup.ts'

interface Named {
  readonly name: string
  readonly networks?: readonly string[]
  isAvailable?(): boolean
}
const routes = port<Named>('routes', 'Payment routes are not available')
const other = port<Named>('other', 'Others are not available')

const [first, second, third, sandbox] = ['first', 'second', 'third', 'sandbox'].map((name) => ({ name })) as [
  Named,
  Named,
  Named,
  Named,
]
const live = (...bound: readonly Named[]) => bound.map((each) => bind(routes, 'live', each))
/** Rules with an order of the settings and decisions of operators. */
const rules = (order?: readonly string[], controls: Readonly<Record<string, Partial<ProviderControl>>> = {}) => ({
  order: (name: string) => (name === 'routes' ? order : undefined),
  controls: async () =>
    new Map(
      Object.entries(controls).map(([name, control]) => [
        name,
        { state: 'active', priority: null, ...control } as const,
      ]),
    ),
})
const names = async (all: Promise<readonly Named[]>) => (await all).map(({ name }) => name)

test('a port without a provider for new objects is named with the message of its 503, in its environment alone', async () => {
  const bindings = [bind(other, 'test', third), ...live(first), bind(routes, 'test', sandbox)]
  const said = { port: 'other', message: 'Others are not available in the live environment' }
  expect(await providers(bindings).missing('live')).toEqual([said])
  expect(await providers(bindings).missing('test')).toEqual([])
  const drained = providers(bindings, rules(undefined, { first: { state: 'draining' } }))
  expect((await drained.missing('live')).map((each) => each.port).sort()).toEqual(['other', 'routes'])
})

test('a new object gets the first provider of its port and environment, in the order of the settings, else of the bindings', async () => {
  const bindings = [bind(other, 'live', third), ...live(first, second), bind(routes, 'test', sandbox)]
  expect(await providers(bindings).for(routes, 'live')).toBe(first)
  expect(await providers(bindings).for(routes, 'test')).toBe(sandbox)
  expect(await providers(bindings, rules(['second', 'first'])).for(routes, 'live')).toBe(second)
  expect(await names(providers(bindings, rules(['second'])).candidates(routes, 'live'))).toEqual(['second'])
})

test('an order may depend on what the object is: a currency or a network', async () => {
  const order = (_port: string, _environment: string, scope?: string) => (scope === 'NGN' ? ['second'] : ['first'])
  const bound = providers(live(first, second), { ...rules(), order })
  expect(await bound.for(routes, 'live', { scope: 'NGN' })).toBe(second)
  expect(await bound.for(routes, 'live', { scope: 'KES' })).toBe(first)
})

test('an operator’s priority comes before the order of the settings, and what drains or is off takes no new object', async () => {
  const of = (controls: Readonly<Record<string, Partial<ProviderControl>>>) =>
    names(
      providers(live(first, second, third), rules(['first', 'second', 'third'], controls)).candidates(routes, 'live'),
    )
  expect(await of({ third: { priority: -1 } })).toEqual(['third', 'first', 'second'])
  expect(await of({ first: { state: 'draining' }, second: { state: 'off' } })).toEqual(['third'])
})

test('what cannot serve is not asked, and what is not available is asked last', async () => {
  const down = { name: 'down', isAvailable: () => false }
  const bound = providers(live(down, first, second))
  expect(await names(bound.candidates(routes, 'live'))).toEqual(['first', 'second', 'down'])
  expect(await bound.for(routes, 'live', { serves: ({ name }) => name === 'second' })).toBe(second)
})

test('an existing object is asked of the provider that it stores, whatever the order says and operators decided', () => {
  const bound = providers(live(first, second), rules(['first'], { second: { state: 'off' } }))
  expect(bound.of(routes, { provider: 'second', environment: 'live' })).toBe(second)
})

test('an object of the test environment belongs to the sandbox, also one that was created under another name', () => {
  const bound = providers([bind(routes, 'test', first), bind(routes, 'test', sandbox)])
  expect(bound.of(routes, { provider: 'first', environment: 'test' })).toBe(first)
  expect(bound.of(routes, { provider: 'relay', environment: 'test' })).toBe(sandbox)
})

test('draining providers are in use, those that are off are not; bound are all', async () => {
  const controls = { first: { state: 'draining' }, second: { state: 'off' } } as const
  const bound = providers(live(first, second), rules(undefined, controls))
  expect(await names(bound.inUse(routes, 'live'))).toEqual(['first'])
  expect(bound.bound(routes, 'live').map(({ name }) => name)).toEqual(['first', 'second'])
})

test('of one name the first binding is used', async () => {
  const replaced = { name: 'first' }
  expect(await providers(live(first, replaced)).candidates(routes, 'live')).toEqual([first])
})

test('an extension has one implementation in each environment', () => {
  const key = extension<() => string>('Names are not available')
  const bound = providers([bind(key, 'live', () => 'one')])
  expect(bound.get(key, 'live')()).toBe('one')
  expect(() => bound.get(key, 'test')).toThrow('Names are not available in the test environment')
})

const unavailable = {
  status: 503,
  code: 'capability_unavailable',
  message: 'Payment routes are not available in the live environment',
}
const thrownBy = (work: () => unknown): unknown => {
  try {
    return work()
  } catch (error) {
    return error
  }
}

test.each<[string, (key: Port<Named>) => unknown]>([
  [
    'none is bound',
    (key) =>
      providers([bind(routes, 'test', sandbox)])
        .for(key, 'live')
        .catch((error) => error),
  ],
  [
    'none can serve',
    (key) =>
      providers(live(first))
        .for(key, 'live', { serves: () => false })
        .catch((error) => error),
  ],
  [
    'all are drained',
    (key) =>
      providers(live(first), rules(undefined, { first: { state: 'draining' } }))
        .candidates(key, 'live')
        .catch((error) => error),
  ],
  [
    'that of an object is not bound any more',
    (key) => thrownBy(() => providers(live(first)).of(key, { provider: 'gone', environment: 'live' })),
  ],
])('where %s, the error is a 503 that names the capability and the environment', async (_case, work) => {
  expect(await work(routes)).toMatchObject(unavailable)
})
