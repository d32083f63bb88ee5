/** What tests stand on: the real service on a real PostgreSQL, one database for each test file. */
export { freshDatabase, type TestDatabase } from './database.ts'
export { type Answer, type Call, call, type Merchant, newMerchant } from './merchant.ts'
export { type Received, type Receiver, type ReceiverOptions, type Reply, startReceiver } from './receiver.ts'
export { type ServiceOptions, startService, type TestService, useService } from './service.ts'
