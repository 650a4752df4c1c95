import { screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { show } from "../../testing/show.tsx";
import { InputForm } from "./input-form.tsx";

const schema = {
  type: "object",
  required: ["price", "quantity"],
  properties: {
    unit: { enum: ["piece", "box"] },
    price: { type: "number", description: "Of one" },
    quantity: { type: "integer" },
    isGift: { type: "boolean" },
    tags: { type: "array" },
  },
};

type Props = Partial<React.ComponentProps<typeof InputForm>>;

/** Shows the form, and gives its submissions. */
async function open(props: Props = {}) {
  const onSubmit = vi.fn<(input: unknown) => void>();
  const form = (
    <InputForm schema={schema} action="Run" isBusy={false} {...{ onSubmit, ...props }} />
  );
  return { ...(await show(form)), onSubmit };
}

const field = (name: string | RegExp) => screen.getByRole<HTMLInputElement>("textbox", { name });
const run = () => screen.getByRole<HTMLButtonElement>("button", { name: "Run" });
const json = () => field("Input (JSON)");

test("sends the values of the fields, each as its type, without empty ones", async () => {
  const { user, onSubmit } = await open();
  await user.type(field("price"), "1.5");
  await user.type(field("quantity"), "4");
  await user.selectOptions(screen.getByRole("combobox", { name: "unit (optional)" }), "box");
  await user.selectOptions(screen.getByRole("combobox", { name: "isGift (optional)" }), "false");
  await user.click(run());
  const input = { price: 1.5, quantity: 4, unit: "box", isGift: false };
  expect(onSubmit.mock.calls).toEqual([[input]]);
});

test("shows the error of each field, and sends nothing until they are fixed", async () => {
  const { user, onSubmit } = await open();
  await user.type(field("quantity"), "1.5");
  await user.type(field(/^tags/), "[[1,");
  await user.click(run());
  const descriptionOf = (name: string | RegExp) =>
    (field(name).getAttribute("aria-describedby") ?? "")
      .split(" ")
      .map((id) => document.getElementById(id)?.textContent);
  expect(descriptionOf("price")).toEqual(["Of one", "Required"]);
  expect(descriptionOf("quantity")).toEqual(["Enter a whole number"]);
  expect(descriptionOf(/^tags/).join(" ")).toContain("Invalid JSON");
  expect(field("quantity").getAttribute("aria-invalid")).toBe("true");
  expect(onSubmit).not.toHaveBeenCalled();
  await user.type(field("price"), "2");
  await user.clear(field("quantity"));
  await user.type(field("quantity"), "3");
  await user.clear(field(/^tags/));
  await user.type(field(/^tags/), "[[1]{Enter}");
  await user.click(run());
  expect(onSubmit.mock.calls).toEqual([[{ price: 2, quantity: 3, tags: [1] }]]);
  expect(field("quantity").getAttribute("aria-invalid")).toBeNull();
});

test("switches to JSON and back with the filled-in values", async () => {
  const { user, onSubmit } = await open({ before: { price: 1.5, quantity: 4 } });
  expect(field("quantity").value).toBe("4");
  await user.click(screen.getByRole("button", { name: "Edit JSON" }));
  expect(JSON.parse(json().value)).toEqual({ price: 1.5, quantity: 4 });
  await user.clear(json());
  await user.type(json(), '{{"price": 2, "quantity": 5}');
  await user.click(screen.getByRole("button", { name: "Use form" }));
  expect([field("price").value, field("quantity").value]).toEqual(["2", "5"]);
  await user.click(run());
  expect(onSubmit.mock.calls).toEqual([[{ price: 2, quantity: 5 }]]);
});

test("a text that is not JSON stays, and is not sent", async () => {
  const { user, onSubmit } = await open({ schema: null });
  expect(screen.queryByRole("button", { name: /form|JSON/ })).toBeNull();
  await user.clear(json());
  await user.type(json(), "[[1");
  await user.click(run());
  expect(screen.getByText(/Invalid JSON/)).toBeDefined();
  expect(json().value).toBe("[1");
  expect(onSubmit).not.toHaveBeenCalled();
});

test("a function without fields takes no input", async () => {
  const { user, onSubmit } = await open({ schema: { type: "object", properties: {} } });
  expect(screen.getByText("No input required.")).toBeDefined();
  await user.click(run());
  expect(onSubmit.mock.calls).toEqual([[{}]]);
});

test.for([{ isBusy: true }, { isDisabled: true }])("cannot be pressed with %o", async (props) => {
  const { user, onSubmit } = await open({ schema: null, ...props });
  expect(run().disabled).toBe(true);
  await user.click(run());
  expect(onSubmit).not.toHaveBeenCalled();
});
