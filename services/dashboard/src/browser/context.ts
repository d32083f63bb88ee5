import type { Client } from '@payments/client'
import { createContext, useContext } from 'react'
import type { Environment, Session } from './api.ts'

/** What every screen knows: who is signed in, and whose data of which environment it shows. */
export interface Place {
  readonly environment: Environment
  readonly api: Client
  readonly me: NonNullable<Session['session']>
}

export const PlaceContext = createContext<Place | undefined>(undefined)

/** @throws Error outside the signed-in application */
export function usePlace(): Place {
  const place = useContext(PlaceContext)
  if (!place) throw new Error('Nobody is signed in')
  return place
}
