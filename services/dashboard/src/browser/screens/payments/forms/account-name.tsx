import { useQuery } from '@tanstack/react-query'
import { usePlace } from '../../../context.ts'

/** The account that is typed, once it is complete. */
export interface Account {
  readonly currency: string
  readonly bankCode: string
  readonly accountNumber: string
  readonly pattern: string
}

/** Asks the bank for the name of an account as soon as its number is complete. */
function useAccountName({ currency, bankCode, accountNumber, pattern }: Account) {
  const { environment, api } = usePlace()
  const complete = bankCode !== '' && pattern !== '' && new RegExp(pattern).test(accountNumber)
  return useQuery({
    queryKey: ['account', environment, currency, bankCode, accountNumber],
    queryFn: () => api.fiat.verifyAccount.mutate({ currency, bankCode, accountNumber }),
    enabled: complete,
    retry: false,
    staleTime: 60_000,
  })
}

/** The name that the bank has for the account: what is paid to whom is seen before it is sent. */
export function AccountName({ of }: { of: Account }) {
  const { data, error, isFetching } = useAccountName(of)
  return (
    <p className="evidence" role="status">
      {isFetching && <span className="hint">Asking the bank for the name …</span>}
      {data?.status === 'verified' && (
        <>
          Name confirmed by {data.bankName}: <strong>{data.accountName}</strong>
        </>
      )}
      {data?.status === 'unresolved' && (
        <span className="hint">This bank returns no name. Check the number with the recipient.</span>
      )}
      {error && (
        <span className="error">
          {Object.values((error as { fields?: Record<string, string> }).fields ?? {})[0] ?? error.message}
        </span>
      )}
    </p>
  )
}
