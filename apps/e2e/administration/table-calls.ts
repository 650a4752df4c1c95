import type { EndpointName } from "@parley/schema";
import type { Things } from "./closed-space.ts";

type Inputs = (things: Things) => readonly object[];

const inSource =
  (idOf: (things: Things) => object = () => ({})): Inputs =>
  (things) => {
    const given = { dsId: things.dataSourceId, ...idOf(things) };
    return [given, { ...given, spaceId: things.spaceId }];
  };
const ofTable = (more: object = {}) => inSource(({ tableId }) => ({ tableId, ...more }));
const said = ({ tableId }: Things) => ({ table_id: tableId, name: "POISONED" });

/** Every way in which calls about tables name something of a space. */
export const tableCalls: Partial<Record<EndpointName, Inputs>> = {
  "tables.list": inSource(),
  "tables.upsert": inSource(said),
  "tables.uploadCsv": inSource((things) => ({ ...said(things), csv: "a\nPOISONED\n" })),
  "tables.get": ofTable(),
  "tables.delete": ofTable(),
  "tables.setParents": inSource(({ tableId }) => ({ tableId, parents: [tableId, "POISONED"] })),
  "tableRows.list": ofTable(),
  "tableRows.upsert": ofTable({ rows: [{ row_id: "1", value: { word: "POISONED" } }] }),
  "tableRows.get": ofTable({ rowId: "1" }),
  "tableRows.delete": ofTable({ rowId: "1" }),
};
