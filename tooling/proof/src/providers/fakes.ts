// The fakes belong to the tests of their providers; this proof runs the whole service against all of them at once.

// @boundaries-ignore the proof runs the service against the fake
export { type FakeCngn, startFake as startCngn } from '../../../../packages/providers/cngn/test/fake.ts'
// @boundaries-ignore the proof runs the service against the fake
export { Chain } from '../../../../packages/providers/jupiter/test/chain.ts'
// @boundaries-ignore the proof runs the service against the fake
export { type Exchange, startExchange } from '../../../../packages/providers/jupiter/test/exchange.ts'
// @boundaries-ignore the proof runs the service against the fake
export { type Node, startNode } from '../../../../packages/providers/jupiter/test/node.ts'
// @boundaries-ignore the proof runs the service against the fake
export { type FakeNearIntents, fakeNearIntents } from '../../../../packages/providers/near-intents/test/fake.ts'
// @boundaries-ignore the proof runs the service against the fake
export { oddly as oddStatus } from '../../../../packages/providers/near-intents/test/odd.ts'
// @boundaries-ignore the proof runs the service against the fake
export {
  type Fake as FakePaycrest,
  startFake as startPaycrest,
} from '../../../../packages/providers/paycrest/test/fake.ts'
// @boundaries-ignore the proof runs the service against the fake
export { type QoreidServer, startQoreid } from '../../../../packages/providers/qoreid/test/server.ts'
// @boundaries-ignore the proof runs the service against the fake
export { type FakeRelay, fakeRelay } from '../../../../packages/providers/relay/test/fake.ts'
// @boundaries-ignore the proof runs the service against the fake
export { oddly } from '../../../../packages/providers/relay/test/odd.ts'
