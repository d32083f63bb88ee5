import { type ComponentProps, type ComponentType, createElement, useContext } from 'react'
import { PlaceContext } from '../../context.ts'

/**
 * A control that sends a change, or opens the dialog that does. While the organisation is suspended the API refuses every change, so the
 * control is disabled; the notice above the screen says why, and so does the control. What the API still allows (to revoke keys, to end
 * sessions, to answer invitations of others, to read) is a control as any other.
 */
function changing<T extends 'button' | 'input' | 'select'>(tag: T): ComponentType<ComponentProps<T>> {
  return function Change({ disabled, title, ...props }: ComponentProps<'button' | 'input' | 'select'>) {
    const isSuspended = Boolean(useContext(PlaceContext)?.me.organisation.suspendedAt)
    return createElement(tag, {
      ...props,
      disabled: disabled || isSuspended,
      title: isSuspended ? 'The organisation is suspended: it can be read, and not changed' : title,
    })
  } as ComponentType<ComponentProps<T>>
}

export const ChangeButton = changing('button')
export const ChangeInput = changing('input')
export const ChangeSelect = changing('select')
