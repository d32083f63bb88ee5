/** What calls of providers stand on: budgets, choices, reports, evidence. */

export {
  type Budget,
  type BudgetedCall,
  heedingPause,
  isPaused,
  limitedFor,
  ProviderLimited,
  pauseCalls,
  secondsUntilFree,
  takeCall,
} from './budgets/budgets.ts'
export { type ClaimedPoll, type PolledProvider, pollBudget } from './budgets/rate-budget.ts'
export { type Stranger, sharesOf, strangerAt } from './budgets/shares.ts'
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
export { type ProviderState, type Providers, providerStates, providers } from './lookup.ts'
export { checkPrice } from './prices.ts'
export {
  NOT_APPLIED,
  type ObjectReport,
  type ReportedAmount,
  type ReportedAmounts,
  recordContradiction,
  recordFailure,
  recordReport,
  reportedAmountsSql,
  settleContradictions,
  settleReadable,
} from './reports.ts'
export { faultModes, setSandboxFault, withFaults } from './sandbox-faults.ts'
