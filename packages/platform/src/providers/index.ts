/** What calls of providers stand on: budgets, choices, reports, evidence. */

export {
  aboutObject,
  callOutcomes,
  type ProviderCalls,
  providerCalls,
  readProviderAnswers,
} from './calls.ts'
export {
  bestAnswer,
  type Chosen,
  firstAnswer,
  type ProviderChoice,
  recordChoice,
} from './choices.ts'
export { checkProviderOrders, providerRules, readControls, writeControl } from './controls.ts'
export {
  credentialsColumn,
  credentialsFingerprint,
  hasOtherCredentials,
  OTHER_CREDENTIALS,
  withSameCredentials,
} from './credentials.ts'
export {
  type BudgetedCall,
  heedingPause,
  isPaused,
  limitedFor,
  ProviderLimited,
  pauseCalls,
  secondsUntilFree,
  takeCall,
} from './polling/budgets.ts'
export {
  ANNOUNCED_SQL,
  type NextPoll,
  nextPollOf,
  pollAfter,
  pollColumns,
  pollIndexes,
  pollQueue,
  unlessAnnounced,
} from './polling/poll-queue.ts'
export { boundTo, claimPolls, pollTask } from './polling/polls.ts'
export { type ClaimedPoll, type PolledProvider, pollBudget } from './polling/rate-budget.ts'
export { type Stranger, sharesOf, strangerAt } from './polling/shares.ts'
export { checkPrice, dollarRate } from './prices.ts'
export {
  isContradictedSql,
  keepKnownReport,
  NOT_APPLIED,
  type ObjectReport,
  recordContradiction,
  recordFailure,
  recordReport,
  reportedAmountsSql,
  settleContradictions,
  settleReadable,
} from './reports.ts'
export { faultModes, setSandboxFault, withFaults } from './sandbox-faults.ts'
