import type { Locale } from '@payments/pay-page'

/** What an email to a payer is made of. Amounts have their currency beside them. */
export interface PayerFacts {
  readonly merchant: string
  readonly title: string
  /** Of the session: what counts for it so far, what was asked for, and the difference. */
  readonly received: string
  readonly amount: string
  readonly missing: string
  readonly network: string
  readonly address: string
  /** Until when what is missing can be sent. */
  readonly deadline: string
  readonly url: string
  /** Of the payment that the email is about; the currency alone where its amount is not known. */
  readonly sent: string
  readonly sentOn: string
  /** Its transaction; empty where it is not known. */
  readonly hash: string
  /** Where it was sent back; undefined where that is not known. */
  readonly refundTo: { readonly address: string; readonly owner: 'payer' | 'organisation' | 'service' } | undefined
  /** More than the amount was received. */
  readonly over: boolean
}

interface PayerText {
  readonly subject: string
  readonly paragraphs: readonly string[]
}

/**
 * What a payer is told: `receipt`: the session was paid. `missing`: a part arrived, and the rest can be sent. `other`: another currency or
 * network arrived. `late`: a payment arrived after the end. `more`: one arrived when it was paid. `returned`: it was sent back. `failed`: it
 * could not be delivered, and is held.
 */
export type PayerEmail = 'receipt' | 'missing' | 'other' | 'late' | 'more' | 'returned' | 'failed'

type PayerTexts = Readonly<Record<PayerEmail, (facts: PayerFacts) => PayerText>>

/** The end of every email: which transaction it is, and where its state is shown. */
const closing = (
  labels: { readonly transaction: string; readonly state: string },
  { hash, url }: PayerFacts,
): string[] => [...(hash ? [`${labels.transaction} ${hash}`] : []), labels.state, url]

const EN = { transaction: 'Transaction:', state: 'The payment and its present state:' }
const FR = { transaction: 'Transaction :', state: 'Le paiement et son état actuel :' }
const PT = { transaction: 'Transação:', state: 'O pagamento e o seu estado atual:' }
const AR = { transaction: 'المعاملة:', state: 'الدفعة وحالتها الحالية:' }

/** All emails to payers, by language. */
export const payerTexts: Readonly<Record<Locale, PayerTexts>> = {
  en: {
    receipt: ({ merchant, title, received, amount, over, url }) => ({
      subject: `Receipt: ${title}`,
      paragraphs: [
        `Your payment of ${received} to ${merchant} was received.`,
        ...(over ? [`It is more than the ${amount} that were asked for. Ask ${merchant} about the difference.`] : []),
        `It is for: ${title}`,
        'Your receipt:',
        url,
      ],
    }),
    missing: ({ merchant, title, received, amount, missing, network, address, deadline, ...more }) => ({
      subject: `Incomplete payment: ${title}`,
      paragraphs: [
        `${merchant} received ${received} of ${amount} from you. ${missing} is missing.`,
        `It is for: ${title}`,
        `Send ${missing} on ${network} to the same address until ${deadline}: ${address}`,
        EN.state,
        more.url,
      ],
    }),
    other: (facts) => ({
      subject: `Another currency or network arrived: ${facts.title}`,
      paragraphs: [
        `You sent ${facts.sent} on ${facts.sentOn}. ${facts.amount} on ${facts.network} were asked for.`,
        `What you sent went to ${facts.merchant}, but does not count for this payment: ${facts.title}`,
        `Ask ${facts.merchant} before you send anything else.`,
        ...closing(EN, facts),
      ],
    }),
    late: (facts) => ({
      subject: `Payment after the end: ${facts.title}`,
      paragraphs: [
        `${facts.sent} on ${facts.sentOn} arrived when this payment had ended. It went to ${facts.merchant}, who was notified.`,
        `It is for: ${facts.title}`,
        `Ask ${facts.merchant} before you pay again.`,
        ...closing(EN, facts),
      ],
    }),
    more: (facts) => ({
      subject: `Another payment arrived: ${facts.title}`,
      paragraphs: [
        `${facts.sent} on ${facts.sentOn} arrived although this was paid: ${facts.title}`,
        `It went to ${facts.merchant}. Ask ${facts.merchant} to send it back.`,
        ...closing(EN, facts),
      ],
    }),
    returned: (facts) => ({
      subject: `Payment returned: ${facts.title}`,
      paragraphs: [
        `Your payment of ${facts.sent} on ${facts.sentOn} to ${facts.merchant} was sent back. It was not of the amount that was asked for, or could not be delivered.`,
        ...wentTo(facts, {
          payer: (address) => `It went to your address ${address}.`,
          organisation: (address) => `It went to ${facts.merchant}, at ${address}. Ask ${facts.merchant} for it.`,
          service: (address) =>
            `It went to the payment service, which keeps it for you, at ${address}. Give ${facts.merchant} the transaction below.`,
        }),
        `It was for: ${facts.title}`,
        ...closing(EN, facts),
      ],
    }),
    failed: (facts) => ({
      subject: `The payment needs attention: ${facts.title}`,
      paragraphs: [
        `Your payment of ${facts.sent} on ${facts.sentOn} arrived, but could not be delivered. ${facts.merchant} was notified.`,
        `It is for: ${facts.title}`,
        'Keep this email, and do not pay again before you have an answer.',
        ...closing(EN, facts),
      ],
    }),
  },
  fr: {
    receipt: ({ merchant, title, received, amount, over, url }) => ({
      subject: `Reçu : ${title}`,
      paragraphs: [
        `Votre paiement de ${received} à ${merchant} a été reçu.`,
        ...(over ? [`C’est plus que les ${amount} demandés. Contactez ${merchant} au sujet de la différence.`] : []),
        `Objet : ${title}`,
        'Votre reçu :',
        url,
      ],
    }),
    missing: ({ merchant, title, received, amount, missing, network, address, deadline, ...more }) => ({
      subject: `Paiement incomplet : ${title}`,
      paragraphs: [
        `${merchant} a reçu de vous ${received} sur ${amount}. Il manque ${missing}.`,
        `Objet : ${title}`,
        `Envoyez ${missing} sur ${network} à la même adresse avant le ${deadline} : ${address}`,
        FR.state,
        more.url,
      ],
    }),
    other: (facts) => ({
      subject: `Autre monnaie ou autre réseau reçu : ${facts.title}`,
      paragraphs: [
        `Vous avez envoyé ${facts.sent} sur ${facts.sentOn}. ${facts.amount} sur ${facts.network} étaient demandés.`,
        `Votre envoi est arrivé chez ${facts.merchant}, mais ne compte pas pour ce paiement : ${facts.title}`,
        `Demandez à ${facts.merchant} avant d’envoyer autre chose.`,
        ...closing(FR, facts),
      ],
    }),
    late: (facts) => ({
      subject: `Paiement après la fin du délai : ${facts.title}`,
      paragraphs: [
        `${facts.sent} sur ${facts.sentOn} sont arrivés après la fin de ce paiement. Ils sont chez ${facts.merchant}, qui a été prévenu.`,
        `Objet : ${facts.title}`,
        `Demandez à ${facts.merchant} avant de payer à nouveau.`,
        ...closing(FR, facts),
      ],
    }),
    more: (facts) => ({
      subject: `Un autre paiement est arrivé : ${facts.title}`,
      paragraphs: [
        `${facts.sent} sur ${facts.sentOn} sont arrivés alors que ceci était déjà payé : ${facts.title}`,
        `Ils sont chez ${facts.merchant}. Demandez à ${facts.merchant} de les renvoyer.`,
        ...closing(FR, facts),
      ],
    }),
    returned: (facts) => ({
      subject: `Paiement renvoyé : ${facts.title}`,
      paragraphs: [
        `Votre paiement de ${facts.sent} sur ${facts.sentOn} à ${facts.merchant} a été renvoyé. Son montant n’était pas celui demandé, ou il n’a pas pu être remis.`,
        ...wentTo(facts, {
          payer: (address) => `Il a été renvoyé à votre adresse ${address}.`,
          organisation: (address) =>
            `Il a été renvoyé à ${facts.merchant}, à l’adresse ${address}. Demandez-le à ${facts.merchant}.`,
          service: (address) =>
            `Il a été renvoyé au service de paiement, qui le garde pour vous, à l’adresse ${address}. Donnez à ${facts.merchant} la transaction ci-dessous.`,
        }),
        `Objet : ${facts.title}`,
        ...closing(FR, facts),
      ],
    }),
    failed: (facts) => ({
      subject: `Le paiement demande une vérification : ${facts.title}`,
      paragraphs: [
        `Votre paiement de ${facts.sent} sur ${facts.sentOn} est arrivé, mais n’a pas pu être remis. ${facts.merchant} a été prévenu.`,
        `Objet : ${facts.title}`,
        'Gardez cet e-mail et ne payez pas à nouveau avant d’avoir une réponse.',
        ...closing(FR, facts),
      ],
    }),
  },
  pt: {
    receipt: ({ merchant, title, received, amount, over, url }) => ({
      subject: `Recibo: ${title}`,
      paragraphs: [
        `O seu pagamento de ${received} a ${merchant} foi recebido.`,
        ...(over ? [`É mais do que os ${amount} pedidos. Contacte ${merchant} sobre a diferença.`] : []),
        `Referente a: ${title}`,
        'O seu recibo:',
        url,
      ],
    }),
    missing: ({ merchant, title, received, amount, missing, network, address, deadline, ...more }) => ({
      subject: `Pagamento incompleto: ${title}`,
      paragraphs: [
        `${merchant} recebeu de si ${received} de ${amount}. Faltam ${missing}.`,
        `Referente a: ${title}`,
        `Envie ${missing} em ${network} para o mesmo endereço até ${deadline}: ${address}`,
        PT.state,
        more.url,
      ],
    }),
    other: (facts) => ({
      subject: `Chegou outra moeda ou outra rede: ${facts.title}`,
      paragraphs: [
        `Enviou ${facts.sent} em ${facts.sentOn}. Foram pedidos ${facts.amount} em ${facts.network}.`,
        `O que enviou chegou a ${facts.merchant}, mas não conta para este pagamento: ${facts.title}`,
        `Pergunte a ${facts.merchant} antes de enviar mais alguma coisa.`,
        ...closing(PT, facts),
      ],
    }),
    late: (facts) => ({
      subject: `Pagamento depois do fim: ${facts.title}`,
      paragraphs: [
        `${facts.sent} em ${facts.sentOn} chegaram quando este pagamento já tinha terminado. Foram para ${facts.merchant}, que foi avisado.`,
        `Referente a: ${facts.title}`,
        `Pergunte a ${facts.merchant} antes de pagar outra vez.`,
        ...closing(PT, facts),
      ],
    }),
    more: (facts) => ({
      subject: `Chegou outro pagamento: ${facts.title}`,
      paragraphs: [
        `${facts.sent} em ${facts.sentOn} chegaram quando isto já estava pago: ${facts.title}`,
        `Foram para ${facts.merchant}. Peça a ${facts.merchant} que os devolva.`,
        ...closing(PT, facts),
      ],
    }),
    returned: (facts) => ({
      subject: `Pagamento devolvido: ${facts.title}`,
      paragraphs: [
        `O seu pagamento de ${facts.sent} em ${facts.sentOn} a ${facts.merchant} foi devolvido. Não era do valor pedido, ou não pôde ser entregue.`,
        ...wentTo(facts, {
          payer: (address) => `Foi devolvido ao seu endereço ${address}.`,
          organisation: (address) =>
            `Foi devolvido a ${facts.merchant}, no endereço ${address}. Peça-o a ${facts.merchant}.`,
          service: (address) =>
            `Foi devolvido ao serviço de pagamento, que o guarda para si, no endereço ${address}. Dê a ${facts.merchant} a transação abaixo.`,
        }),
        `Referente a: ${facts.title}`,
        ...closing(PT, facts),
      ],
    }),
    failed: (facts) => ({
      subject: `O pagamento precisa de atenção: ${facts.title}`,
      paragraphs: [
        `O seu pagamento de ${facts.sent} em ${facts.sentOn} chegou, mas não pôde ser entregue. ${facts.merchant} foi avisado.`,
        `Referente a: ${facts.title}`,
        'Guarde este email e não pague outra vez antes de ter uma resposta.',
        ...closing(PT, facts),
      ],
    }),
  },
  ar: {
    receipt: ({ merchant, title, received, amount, over, url }) => ({
      subject: `إيصال: ${title}`,
      paragraphs: [
        `تم استلام دفعتك بمبلغ ${received} إلى ${merchant}.`,
        ...(over ? [`هذا أكثر من المبلغ المطلوب ${amount}. اسأل ${merchant} عن الفرق.`] : []),
        `مقابل: ${title}`,
        'إيصالك:',
        url,
      ],
    }),
    missing: ({ merchant, title, received, amount, missing, network, address, deadline, ...more }) => ({
      subject: `دفعة غير مكتملة: ${title}`,
      paragraphs: [
        `استلم ${merchant} منك ${received} من أصل ${amount}. المبلغ المتبقي ${missing}.`,
        `مقابل: ${title}`,
        `أرسل ${missing} على شبكة ${network} إلى العنوان نفسه حتى ${deadline}: ${address}`,
        AR.state,
        more.url,
      ],
    }),
    other: (facts) => ({
      subject: `وصلت عملة أو شبكة أخرى: ${facts.title}`,
      paragraphs: [
        `أرسلت ${facts.sent} على شبكة ${facts.sentOn}. المطلوب كان ${facts.amount} على شبكة ${facts.network}.`,
        `ما أرسلته وصل إلى ${facts.merchant}، لكنه لا يُحسب لهذه الدفعة: ${facts.title}`,
        `اسأل ${facts.merchant} قبل أن ترسل أي شيء آخر.`,
        ...closing(AR, facts),
      ],
    }),
    late: (facts) => ({
      subject: `دفعة بعد انتهاء الوقت: ${facts.title}`,
      paragraphs: [
        `وصل ${facts.sent} على شبكة ${facts.sentOn} بعد انتهاء هذه الدفعة. وصل المبلغ إلى ${facts.merchant} وتم إبلاغه.`,
        `مقابل: ${facts.title}`,
        `اسأل ${facts.merchant} قبل أن تدفع مرة أخرى.`,
        ...closing(AR, facts),
      ],
    }),
    more: (facts) => ({
      subject: `وصلت دفعة أخرى: ${facts.title}`,
      paragraphs: [
        `وصل ${facts.sent} على شبكة ${facts.sentOn} مع أن هذا كان مدفوعًا: ${facts.title}`,
        `وصل المبلغ إلى ${facts.merchant}. اطلب من ${facts.merchant} أن يعيده.`,
        ...closing(AR, facts),
      ],
    }),
    returned: (facts) => ({
      subject: `أُعيدت الدفعة: ${facts.title}`,
      paragraphs: [
        `أُعيدت دفعتك إلى ${facts.merchant} بمبلغ ${facts.sent} على شبكة ${facts.sentOn}. لم تكن بالمبلغ المطلوب، أو لم يمكن تسليمها.`,
        ...wentTo(facts, {
          payer: (address) => `أُعيدت إلى عنوانك ${address}.`,
          organisation: (address) => `أُعيدت إلى ${facts.merchant} على العنوان ${address}. اطلبها من ${facts.merchant}.`,
          service: (address) =>
            `أُعيدت إلى خدمة الدفع التي تحتفظ بها لك على العنوان ${address}. أعطِ ${facts.merchant} رقم المعاملة أدناه.`,
        }),
        `مقابل: ${facts.title}`,
        ...closing(AR, facts),
      ],
    }),
    failed: (facts) => ({
      subject: `الدفعة تحتاج إلى متابعة: ${facts.title}`,
      paragraphs: [
        `وصلت دفعتك بمبلغ ${facts.sent} على شبكة ${facts.sentOn}، لكن لم يمكن تسليمها. تم إبلاغ ${facts.merchant}.`,
        `مقابل: ${facts.title}`,
        'احتفظ بهذه الرسالة ولا تدفع مرة أخرى قبل أن تتلقى ردًا.',
        ...closing(AR, facts),
      ],
    }),
  },
}

/** To whom a payment was sent back; nothing where that is not known. */
function wentTo(
  { refundTo }: PayerFacts,
  texts: Readonly<Record<NonNullable<PayerFacts['refundTo']>['owner'], (address: string) => string>>,
): string[] {
  return refundTo ? [texts[refundTo.owner](refundTo.address)] : []
}
