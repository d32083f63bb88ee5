import type { Texts } from '../data.ts'
import type { Facts, OutcomeOf, What, When } from './situation.ts'

// What is said about money: one cell for each combination of what arrived, when it is, and what happened with it. The page, the emails and the
// tests derive from it. A combination that is missing does not compile.

type Text = keyof Texts

/** Several texts of which the facts choose: none, one or more. */
type Choice = (facts: Facts) => readonly Text[]

/**
 * What the payer does next, and so what stands at the end of each text. `pay`: sends the amount. `rest`: sends what is left. `ask`: asks the
 * merchant. `ask_open`: the same, and the amount can still be paid. `wait`: nothing. `hold`: nothing, until the page says more. `again`: starts
 * anew. `end`: there is nothing to do any more.
 */
export type Step = 'pay' | 'rest' | 'ask' | 'ask_open' | 'wait' | 'hold' | 'again' | 'end'

/** What is said in one situation. */
export interface Cell {
  readonly heading: Text | ((facts: Facts) => Text)
  readonly says: readonly (Text | Choice)[]
  readonly step: Step | ((facts: Facts) => Step)
}

export type Table = {
  readonly [W in What]: { readonly [P in When]: { readonly [O in OutcomeOf<W>]: Cell } }
}

/** What came and went to the merchant, and whether it counts. */
const delivered: Choice = ({ paid, counts, cancelled, late, before }) => {
  if (paid) return ['paidText', ...(late ? (['paidLate'] as const) : [])]
  if (counts) return ['arrivedPart']
  return [cancelled ? 'arrivedCancelled' : 'arrivedLate', ...(before ? (['soFar'] as const) : [])]
}
/** To whom a payment was sent back. */
const wentBack: Choice = ({ refundOwner }) => {
  if (refundOwner === 'payer') return ['returnedToPayer']
  if (refundOwner === 'organisation') return ['returnedToMerchant']
  return refundOwner === 'service' ? ['returnedOn'] : []
}
const tooLittle: Choice = ({ strict, before }) => (strict && !before ? ['returnedPart'] : [])
const restOrBack: Choice = ({ strict, before }) => [strict && !before ? 'confirmingBack' : 'confirmingRest']
const kept: Choice = ({ paidTwice, excessLost }) => [paidTwice ? 'paidTwice' : excessLost ? 'overLost' : 'overKept']
const soFar: Choice = ({ before }) => (before ? ['soFar'] : [])
const paidBefore: Choice = ({ paid }) => (paid ? ['paidText'] : [])
const held: Choice = ({ review, short }) => [short ? 'shortText' : review ? 'heldReview' : 'heldText']
const excess: Choice = ({ excessReturned }) => [excessReturned ? 'overReturned' : 'returnedText']
const slow: Choice = ({ slow }) => [slow ? 'confirmingSlow' : 'confirmingTime']
const tooLateToCount: Choice = ({ cancelled, counts }) => (counts ? [] : [cancelled ? 'willGoCancelled' : 'willGoLate'])
const elsewhere: Choice = ({ paidElsewhere }) => (paidElsewhere ? ['paidElsewhere'] : ['doNotSend', 'sentLate'])
const withdrawn = ['voidText'] as const
const noPayments = ['suspendedText'] as const

const paidOr =
  (heading: Text) =>
  ({ paid }: Facts): Text =>
    paid ? 'paidHeading' : heading
/** What is left is paid where something counts already; else the payer starts anew. */
const restOrAgain = ({ before }: Facts): Step => (before ? 'rest' : 'again')
const paidOrAsk = ({ paid }: Facts): Step => (paid ? 'end' : 'ask')

/** A payment that was sent back: who got it is said, whatever the time. */
const back = (says: Cell['says'], step: Cell['step']): Cell => ({
  heading: paidOr('returnedHeading'),
  says: [paidBefore, 'returnedText', wentBack, ...says],
  step,
})
/** A payment that came back to the payment service, which passes it on. */
const onItsWay = (says: Cell['says'] = [], step: Cell['step'] = 'ask'): Cell => ({
  heading: paidOr('returningHeading'),
  says: [paidBefore, 'returningText', ...says],
  step,
})
/** A payment that the provider holds: never is another one asked for. */
const stuck = (says: Cell['says'] = []): Cell => ({
  heading: 'failedHeading',
  says: [paidBefore, held, ...says],
  step: 'ask',
})
/** A payment that never was. */
const lost = (says: Cell['says'], step: Cell['step']): Cell => ({
  heading: 'unconfirmedHeading',
  says: ['unconfirmedText', ...says],
  step,
})
/** One that went to the merchant, and either counts or came when it no longer could. */
const arrived = (heading: Cell['heading'], says: Cell['says'], step: Cell['step']): Cell => ({
  heading,
  says: [delivered, ...says],
  step,
})
const otherArrived = (says: Cell['says'], step: Cell['step']): Cell => ({
  heading: 'otherHeading',
  says: ['arrivedOther', ...says],
  step,
})
const underWay = (text: Text, says: Cell['says'], step: Step): { readonly pending: Cell } => ({
  pending: { heading: 'confirmingHeading', says: [text, ...says], step },
})

/** The texts that speak of an address, a network or a wallet. */
type OnChain =
  | 'waitingText'
  | 'restText'
  | 'arrivedLate'
  | 'arrivedCancelled'
  | 'returnedText'
  | 'heldText'
  | 'heldReview'
  | 'unconfirmedText'
  | 'confirmingSlow'
  | 'doNotSend'
  | 'sentLate'
  | 'sentSuspended'
  | 'againText'

/** What is said in their place of a bank transfer. A text that is missing does not compile. */
const ofTransfer: { readonly [T in OnChain]: Text } = {
  waitingText: 'waitingTransfer',
  restText: 'restTransfer',
  arrivedLate: 'lateTransfer',
  arrivedCancelled: 'cancelledTransfer',
  returnedText: 'returnedTransfer',
  heldText: 'heldTransfer',
  heldReview: 'reviewTransfer',
  unconfirmedText: 'missingTransfer',
  confirmingSlow: 'slowTransfer',
  doNotSend: 'stopTransfer',
  sentLate: 'sentLateTransfer',
  sentSuspended: 'sentSuspendedTransfer',
  againText: 'againTransfer',
}

/** A text as it is said of a bank transfer. */
export const saidOfTransfer = (text: Text): Text => ({ ...ofTransfer })[text as OnChain] ?? text

export const table: Table = {
  nothing: {
    in_time: { none: { heading: 'waitingHeading', says: [], step: 'pay' } },
    grace: { none: { heading: 'expiredHeading', says: ['doNotSend', 'sentGrace'], step: 'again' } },
    late: { none: { heading: 'expiredHeading', says: ['doNotSend', 'sentLate'], step: 'again' } },
    cancelled: { none: { heading: 'cancelledHeading', says: [elsewhere], step: 'again' } },
    void: { none: { heading: 'voidHeading', says: [...withdrawn, 'doNotSend', 'sentLate'], step: 'end' } },
    suspended: {
      none: { heading: 'unavailableHeading', says: [...noPayments, 'doNotSend', 'sentSuspended'], step: 'end' },
    },
  },
  part: {
    in_time: {
      delivered: arrived('restHeading', [], 'rest'),
      returned: back([tooLittle, soFar], restOrAgain),
      returning: onItsWay([soFar]),
      failed: stuck([soFar]),
      unconfirmed: lost([soFar], restOrAgain),
    },
    grace: {
      delivered: arrived('restHeading', ['graceText'], 'rest'),
      returned: back([tooLittle, soFar], restOrAgain),
      returning: onItsWay([soFar]),
      failed: stuck([soFar]),
      unconfirmed: lost([soFar], restOrAgain),
    },
    late: {
      delivered: arrived('expiredHeading', ['restNotPaid'], 'ask'),
      returned: back([tooLittle, soFar], ({ before }) => (before ? 'ask' : 'again')),
      returning: onItsWay([soFar]),
      failed: stuck([soFar]),
      unconfirmed: lost([soFar], ({ before }) => (before ? 'ask' : 'again')),
    },
    cancelled: {
      delivered: arrived('cancelledHeading', [], 'ask'),
      returned: back([], 'again'),
      returning: onItsWay(),
      failed: stuck(),
      unconfirmed: lost([], 'again'),
    },
    void: {
      delivered: arrived('voidHeading', [...withdrawn, 'doNotSendRest'], 'ask'),
      returned: back([soFar, ...withdrawn, 'doNotSend'], 'end'),
      returning: onItsWay([soFar, ...withdrawn]),
      failed: stuck([soFar, ...withdrawn]),
      unconfirmed: lost([soFar, ...withdrawn, 'doNotSend'], 'end'),
    },
    suspended: {
      delivered: arrived('unavailableHeading', [...noPayments, 'doNotSendRest'], 'ask'),
      returned: back([soFar, ...noPayments, 'doNotSend'], 'end'),
      returning: onItsWay([soFar, ...noPayments]),
      failed: stuck([soFar, ...noPayments]),
      unconfirmed: lost([soFar, ...noPayments, 'doNotSend'], 'end'),
    },
  },
  all: {
    in_time: {
      delivered: arrived(paidOr('lateHeading'), [], paidOrAsk),
      returned: back([soFar], restOrAgain),
      returning: onItsWay([soFar]),
      failed: stuck([soFar]),
      unconfirmed: lost([soFar], restOrAgain),
    },
    grace: {
      delivered: arrived(paidOr('lateHeading'), [], paidOrAsk),
      returned: back([soFar], restOrAgain),
      returning: onItsWay([soFar]),
      failed: stuck([soFar]),
      unconfirmed: lost([soFar], restOrAgain),
    },
    late: {
      delivered: arrived('lateHeading', [], 'ask'),
      returned: back([soFar], ({ before }) => (before ? 'ask' : 'again')),
      returning: onItsWay([soFar]),
      failed: stuck([soFar]),
      unconfirmed: lost([soFar], ({ before }) => (before ? 'ask' : 'again')),
    },
    cancelled: {
      delivered: arrived('cancelledHeading', [], 'ask'),
      returned: back([], 'again'),
      returning: onItsWay(),
      failed: stuck(),
      unconfirmed: lost([], 'again'),
    },
    void: {
      delivered: arrived(paidOr('voidHeading'), withdrawn, 'ask'),
      returned: back([...withdrawn, 'doNotSend'], 'end'),
      returning: onItsWay(withdrawn),
      failed: stuck(withdrawn),
      unconfirmed: lost([...withdrawn, 'doNotSend'], 'end'),
    },
    suspended: {
      delivered: arrived(paidOr('lateHeading'), [], paidOrAsk),
      returned: back([...noPayments, 'doNotSend'], 'end'),
      returning: onItsWay(noPayments),
      failed: stuck(noPayments),
      unconfirmed: lost([...noPayments, 'doNotSend'], 'end'),
    },
  },
  too_much: {
    in_time: {
      delivered: arrived('paidHeading', [kept], 'end'),
      returned: { ...back([], 'end'), says: [paidBefore, excess, wentBack] },
      returning: onItsWay(),
      failed: stuck(),
      unconfirmed: lost([soFar], restOrAgain),
    },
    grace: {
      delivered: arrived('paidHeading', [kept], 'end'),
      returned: { ...back([], 'end'), says: [paidBefore, excess, wentBack] },
      returning: onItsWay(),
      failed: stuck(),
      unconfirmed: lost([soFar], restOrAgain),
    },
    late: {
      delivered: arrived('lateHeading', ['overLate'], 'ask'),
      returned: back([soFar], ({ before }) => (before ? 'ask' : 'again')),
      returning: onItsWay([soFar]),
      failed: stuck([soFar]),
      unconfirmed: lost([soFar], ({ before }) => (before ? 'ask' : 'again')),
    },
    cancelled: {
      delivered: arrived('cancelledHeading', ['overLate'], 'ask'),
      returned: back([], 'again'),
      returning: onItsWay(),
      failed: stuck(),
      unconfirmed: lost([], 'again'),
    },
    void: {
      delivered: arrived(paidOr('voidHeading'), ['overLate', ...withdrawn], 'ask'),
      returned: { ...back([], 'end'), says: [paidBefore, excess, wentBack, ...withdrawn] },
      returning: onItsWay(withdrawn),
      failed: stuck(withdrawn),
      unconfirmed: lost([...withdrawn, 'doNotSend'], 'end'),
    },
    suspended: {
      delivered: arrived(paidOr('lateHeading'), ['overLate'], 'ask'),
      returned: { ...back([], 'end'), says: [paidBefore, excess, wentBack] },
      returning: onItsWay(noPayments),
      failed: stuck(noPayments),
      unconfirmed: lost([...noPayments, 'doNotSend'], 'end'),
    },
  },
  other: {
    in_time: {
      delivered: otherArrived([soFar], ({ paid }) => (paid ? 'ask' : 'ask_open')),
      returned: back([soFar], restOrAgain),
      returning: onItsWay([soFar]),
      failed: stuck([soFar]),
      unconfirmed: lost([soFar], restOrAgain),
    },
    grace: {
      delivered: otherArrived([soFar], 'ask'),
      returned: back([soFar], restOrAgain),
      returning: onItsWay([soFar]),
      failed: stuck([soFar]),
      unconfirmed: lost([soFar], restOrAgain),
    },
    late: {
      delivered: otherArrived([soFar], 'ask'),
      returned: back([soFar], ({ before }) => (before ? 'ask' : 'again')),
      returning: onItsWay([soFar]),
      failed: stuck([soFar]),
      unconfirmed: lost([soFar], ({ before }) => (before ? 'ask' : 'again')),
    },
    cancelled: {
      delivered: otherArrived([], 'ask'),
      returned: back([], 'again'),
      returning: onItsWay(),
      failed: stuck(),
      unconfirmed: lost([], 'again'),
    },
    void: {
      delivered: otherArrived([soFar, ...withdrawn], 'ask'),
      returned: back([soFar, ...withdrawn, 'doNotSend'], 'end'),
      returning: onItsWay([soFar, ...withdrawn]),
      failed: stuck([soFar, ...withdrawn]),
      unconfirmed: lost([soFar, ...withdrawn, 'doNotSend'], 'end'),
    },
    suspended: {
      delivered: otherArrived([soFar, ...noPayments], 'ask'),
      returned: back([soFar, ...noPayments, 'doNotSend'], 'end'),
      returning: onItsWay([soFar, ...noPayments]),
      failed: stuck([soFar, ...noPayments]),
      unconfirmed: lost([soFar, ...noPayments, 'doNotSend'], 'end'),
    },
  },
  part_confirming: {
    in_time: underWay('confirmingPart', [restOrBack, slow], 'hold'),
    grace: underWay('confirmingPart', [restOrBack, slow], 'hold'),
    late: underWay('confirmingPart', [tooLateToCount, slow], 'ask'),
    cancelled: underWay('confirmingPart', [tooLateToCount, slow], 'ask'),
    void: underWay('confirmingPart', [slow, ...withdrawn, 'doNotSendRest'], 'ask'),
    suspended: underWay('confirmingPart', [slow, ...noPayments, 'doNotSendRest'], 'ask'),
  },
  all_confirming: {
    in_time: underWay('confirmingText', [slow], 'wait'),
    grace: underWay('confirmingText', [slow], 'wait'),
    late: underWay('confirmingText', [tooLateToCount, slow], 'ask'),
    cancelled: underWay('confirmingText', [tooLateToCount, slow], 'ask'),
    void: underWay('confirmingText', [slow, ...withdrawn], 'ask'),
    suspended: underWay('confirmingText', [slow], 'wait'),
  },
  unknown_confirming: {
    in_time: underWay('confirmingUnknown', [slow], 'hold'),
    grace: underWay('confirmingUnknown', [slow], 'hold'),
    late: underWay('confirmingUnknown', [tooLateToCount, slow], 'ask'),
    cancelled: underWay('confirmingUnknown', [tooLateToCount, slow], 'ask'),
    void: underWay('confirmingUnknown', [slow, ...withdrawn], 'ask'),
    suspended: underWay('confirmingUnknown', [slow, ...noPayments], 'hold'),
  },
  other_confirming: {
    in_time: underWay('confirmingOther', [soFar, slow], 'ask'),
    grace: underWay('confirmingOther', [soFar, slow], 'ask'),
    late: underWay('confirmingOther', [soFar, slow], 'ask'),
    cancelled: underWay('confirmingOther', [slow], 'ask'),
    void: underWay('confirmingOther', [soFar, slow, ...withdrawn], 'ask'),
    suspended: underWay('confirmingOther', [soFar, slow, ...noPayments], 'ask'),
  },
}
