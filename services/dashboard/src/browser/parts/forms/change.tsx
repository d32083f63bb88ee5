import { type ComponentProps, type ComponentType, createElement, useContext } from 'react'
import { PlaceContext } from '../../context.ts'
import { type Procedure, refusalOf } from '../rights.ts'

/** The procedure that a control calls, or that the dialog calls which it opens; null where every role may call it. */
export interface Calls {
  readonly calls: Procedure | null
}

/**
 * A control that sends a change, or opens the dialog that does. While the organisation is suspended the API refuses every change, and it
 * refuses some to a role, so the control is disabled; the notice above the screen says why, and so does the control. What the API still
 * allows a suspended organisation (to revoke keys, to end sessions, to answer invitations of others, to read) is a control as any other.
 */
function changing<T extends 'button' | 'input' | 'select'>(tag: T): ComponentType<ComponentProps<T> & Calls> {
  return function Change({ calls, disabled, title, ...props }: ComponentProps<'button' | 'input' | 'select'> & Calls) {
    const place = useContext(PlaceContext)
    const why = place?.me.organisation.suspendedAt
      ? 'The organisation is suspended: it can be read, and not changed'
      : calls && place && refusalOf(calls, place)
    return createElement(tag, { ...props, disabled: disabled || Boolean(why), title: why || title })
  } as ComponentType<ComponentProps<T> & Calls>
}

export const ChangeButton = changing('button')
export const ChangeInput = changing('input')
export const ChangeSelect = changing('select')
