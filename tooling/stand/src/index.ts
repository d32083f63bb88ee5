/** What tests, benchmarks and commands start from: the service on a database of its own, in this process or in others, rows inserted without a sign-in, merchants, mailboxes, receivers, statistics. */

export { mailedCode } from './accounts/mail-folder.ts'
export { type Mailbox, type ReceivedEmail, startMailbox } from './accounts/mailbox.ts'
export { type Merchant, newMerchant } from './accounts/merchant.ts'
export { askForCode, signIn } from './accounts/sign-in.ts'
export { type CellMaps, type CellsProxy, startCellsProxy } from './machine/cells-proxy.ts'
export { certificateOf, trust, trustedBy, trustedLoopback } from './machine/certificates.ts'
export { freePort, freePorts } from './machine/free-port.ts'
export { type Ended, outputOf, runCommand, runProgram } from './machine/programs.ts'
export { type SystemPostgres, startStandby, startSystemPostgres } from './machine/system-postgres.ts'
export { chromiumCommand, hasTools } from './machine/tools.ts'
export { type Random, random } from './random.ts'
export { type Behaviour, type EventReceiver, startEventReceiver } from './receivers/event-receiver.ts'
export { startNameServer } from './receivers/name-server.ts'
export { type Received, type Receiver, type ReceiverOptions, startReceiver } from './receivers/receiver.ts'
export { type Arrivals, type Receivers, type Role, startReceivers } from './receivers/receivers.ts'
export { isSigned } from './receivers/signature.ts'
export {
  createKeyFor,
  createTokenFor,
  foundOrganisation,
  newKey,
  newOrganisation,
  signedIn,
  type TestSession,
} from './rows.ts'
export { cngnCustomer } from './samples/cngn-customer.ts'
export { enabledCustomer } from './samples/cngn-rows.ts'
export { documentProblems, everyDocument, type MadeDocument } from './samples/documents.ts'
export { HOSTILE_BODIES } from './samples/hostile-bodies.ts'
export { chunk, interlaced, manyScans, plainPng, segment, twoHeaders } from './samples/images.ts'
export { bookOf, own, someSource, suspenseOf, transfer } from './samples/ledger.ts'
export { invoiceBody, payLink, senderOf } from './samples/payments.ts'
export { BANK_ACCOUNT, BVN, type Sample, START_SESSION, samples, someWallet, WALLETS } from './samples/samples.ts'
export { type Answer, type Call, call, type Data, dataOf, retried, until } from './service/client.ts'
export { type DatabaseUrls, rows, type StandDatabase, startDatabase } from './service/database.ts'
export { type EventMerchant, type EventStand, embeddedEventStand, openEventStand } from './service/event-stand.ts'
export { type Fault, type FaultyProxy, startFaultyProxy } from './service/faulty-proxy.ts'
export { type RunningService, runService } from './service/in-process.ts'
export { compileCache, end, type LaunchedGateway, launch, launchGateway, program } from './service/launch.ts'
export { type ServiceProcesses, startProcesses } from './service/processes.ts'
export type { ServiceProcess } from './service/service-process.ts'
export { OVER_TLS, productionSettings, STAND_SETTINGS, sharedSettings } from './service/settings.ts'
export { type ServiceStand, type StartedService, startArtefact, startStand } from './service/started.ts'
export { median, percentile } from './statistics.ts'
