import { z } from 'zod'

/** A list of a provider. An element that cannot be read hides no other; a list of which nothing can be read is no list. */
export const readable = <T extends z.ZodType>(element: T) =>
  z.array(z.unknown()).transform((all, context): z.output<T>[] => {
    const known = all.flatMap((one) => {
      const { success, data } = element.safeParse(one)
      return success ? [data] : []
    })
    if (all.length > 0 && known.length === 0) context.addIssue({ code: 'custom', message: 'No element can be read' })
    return known
  })
