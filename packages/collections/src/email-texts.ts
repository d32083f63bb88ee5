import type { Locale } from '@payments/pay-page'

/** What an email to a payer is made of. Amounts have their currency beside them. */
interface PayerFacts {
  readonly merchant: string
  readonly title: string
  readonly received: string
  readonly amount: string
  readonly missing: string
  readonly network: string
  readonly address: string
  /** Until when what is missing can be sent. */
  readonly deadline: string
  readonly url: string
}

interface PayerText {
  readonly subject: string
  readonly paragraphs: readonly string[]
}

interface PayerTexts {
  /** The session was paid. */
  receipt(facts: PayerFacts): PayerText
  /** Less than the amount was received. */
  missing(facts: PayerFacts): PayerText
}

/** All emails to payers, by language. */
export const payerTexts: Readonly<Record<Locale, PayerTexts>> = {
  en: {
    receipt: ({ merchant, title, received, url }) => ({
      subject: `Receipt: ${title}`,
      paragraphs: [
        `Your payment of ${received} to ${merchant} was received.`,
        `It is for: ${title}`,
        'Your receipt:',
        url,
      ],
    }),
    missing: ({ merchant, title, received, amount, missing, network, address, deadline, url }) => ({
      subject: `Incomplete payment: ${title}`,
      paragraphs: [
        `${merchant} received ${received} of ${amount} from you. ${missing} is missing.`,
        `It is for: ${title}`,
        `Send ${missing} on ${network} to the same address until ${deadline}: ${address}`,
        'The payment and its present state:',
        url,
      ],
    }),
  },
  fr: {
    receipt: ({ merchant, title, received, url }) => ({
      subject: `Reçu : ${title}`,
      paragraphs: [`Votre paiement de ${received} à ${merchant} a été reçu.`, `Objet : ${title}`, 'Votre reçu :', url],
    }),
    missing: ({ merchant, title, received, amount, missing, network, address, deadline, url }) => ({
      subject: `Paiement incomplet : ${title}`,
      paragraphs: [
        `${merchant} a reçu de vous ${received} sur ${amount}. Il manque ${missing}.`,
        `Objet : ${title}`,
        `Envoyez ${missing} sur ${network} à la même adresse avant le ${deadline} : ${address}`,
        'Le paiement et son état actuel :',
        url,
      ],
    }),
  },
  pt: {
    receipt: ({ merchant, title, received, url }) => ({
      subject: `Recibo: ${title}`,
      paragraphs: [
        `O seu pagamento de ${received} a ${merchant} foi recebido.`,
        `Referente a: ${title}`,
        'O seu recibo:',
        url,
      ],
    }),
    missing: ({ merchant, title, received, amount, missing, network, address, deadline, url }) => ({
      subject: `Pagamento incompleto: ${title}`,
      paragraphs: [
        `${merchant} recebeu de si ${received} de ${amount}. Faltam ${missing}.`,
        `Referente a: ${title}`,
        `Envie ${missing} em ${network} para o mesmo endereço até ${deadline}: ${address}`,
        'O pagamento e o seu estado atual:',
        url,
      ],
    }),
  },
  ar: {
    receipt: ({ merchant, title, received, url }) => ({
      subject: `إيصال: ${title}`,
      paragraphs: [`تم استلام دفعتك بمبلغ ${received} إلى ${merchant}.`, `مقابل: ${title}`, 'إيصالك:', url],
    }),
    missing: ({ merchant, title, received, amount, missing, network, address, deadline, url }) => ({
      subject: `دفعة غير مكتملة: ${title}`,
      paragraphs: [
        `استلم ${merchant} منك ${received} من أصل ${amount}. المبلغ المتبقي ${missing}.`,
        `مقابل: ${title}`,
        `أرسل ${missing} على شبكة ${network} إلى العنوان نفسه حتى ${deadline}: ${address}`,
        'الدفعة وحالتها الحالية:',
        url,
      ],
    }),
  },
}
