import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { type Session, session } from '../../api.ts'
import { Failure, Skeleton } from '../parts.tsx'

/** What depends on who is signed in, and whether the session has ended since; until that is read, that it is being read or why it cannot be. */
export function WithSession({ children }: { children: (of: Session & { readonly hasEnded: boolean }) => ReactNode }) {
  const { data, error, refetch } = useQuery({ queryKey: ['session'], queryFn: session.read })
  const [wasSignedIn, setSignedIn] = useState(false)
  if (data?.session && !wasSignedIn) setSignedIn(true)
  // A later read that failed says nothing about who is signed in.
  if (data) return children({ ...data, hasEnded: wasSignedIn && !data.session })
  return <main className="alone">{error ? <Failure error={error} retry={() => void refetch()} /> : <Skeleton />}</main>
}
