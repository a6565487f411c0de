import { expect } from 'chai';
import { z } from 'zod';
import { commandNames } from '../../scripts/docs/shapes.ts';
import { commands } from '../../shared/protocol.ts';

/** Has a length that cannot be compared. Zod's own `.min` and `.max` throw at it. */
const hostile = { length: { valueOf: null, toString: null } };

/** Inputs with the hostile value in each place of a schema. Other fields are absent: Zod checks every field anyway. */
function* inputsFor(schema: z.core.$ZodType): Generator {
  yield hostile;
  if (schema instanceof z.core.$ZodObject) {
    for (const [key, field] of Object.entries(schema._zod.def.shape))
      for (const value of inputsFor(field)) yield { [key]: value };
  } else if (schema instanceof z.core.$ZodArray) {
    for (const value of inputsFor(schema._zod.def.element)) yield [value];
  } else if (schema instanceof z.core.$ZodRecord) {
    for (const value of inputsFor(schema._zod.def.valueType)) yield { key: value };
  } else if (schema instanceof z.core.$ZodUnion) {
    for (const option of schema._zod.def.options) yield* inputsFor(option);
  } else if (schema instanceof z.core.$ZodPipe) {
    yield* inputsFor(schema._zod.def.in);
  } else if (schema instanceof z.core.$ZodOptional || schema instanceof z.core.$ZodNullable) {
    yield* inputsFor(schema._zod.def.innerType);
  }
}

describe('an object in place of a text or a list', () => {
  it('is invalid in every field of every command, and is no error of the server', () => {
    for (const name of commandNames)
      for (const input of inputsFor(commands[name].input))
        expect(() => commands[name].input.safeParse(input), name).not.to.throw();
  });

  it('throws in a list that Zod measures, which the other test would find', () => {
    const schema = z.strictObject({ a: z.strictObject({ b: z.array(z.int()).max(1) }).optional() });
    const parse = () => [...inputsFor(schema)].map((input) => schema.safeParse(input).success);
    expect(parse).to.throw(TypeError);
  });
});
