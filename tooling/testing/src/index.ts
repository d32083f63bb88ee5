/** Test infrastructure: the real service on a real PostgreSQL, one database for each test file. */

export * from '@payments/fixtures'
export { type RoutesWorld, routesContract } from './contracts/routes.ts'
export { freshDatabase, type TestDatabase, tableContents } from './database.ts'
export { type Mailbox, type ReceivedEmail, startMailbox } from './mailbox.ts'
export { type Answer, type Call, call, type Merchant, newMerchant } from './merchant.ts'
export * from './payment-routes.ts'
export { startProcess, type TestProcess } from './process.ts'
export { type Received, type Receiver, type ReceiverOptions, type Reply, startReceiver } from './receiver.ts'
export { type ServiceOptions, startService, type TestService, useService } from './service.ts'
export { askForCode, signIn } from './signin.ts'
export { sized } from './size.ts'
