import type { Implementations } from "../implementation.ts";
import {
  createBudget,
  createServerBudget,
  deleteBudget,
  deleteServerBudget,
  updateBudget,
  updateServerBudget,
} from "./budgets.ts";
import { listBudgets, listBudgetSpending, listServerBudgets } from "./list-budgets.ts";
import { listPrices, listServerPrices } from "./list-prices.ts";
import { getOwnUsage } from "./own-usage.ts";
import { removePrice, removeServerPrice, setPrice, setServerPrice } from "./model-prices.ts";
import { getServerUsage, getUsage } from "./read-usage.ts";
import { createBudgetedToken } from "./token-budgets.ts";

/** The endpoints that are implemented here. */
export const usageImplementations = {
  "budgets.create": createBudget,
  "budgets.createServer": createServerBudget,
  "budgets.delete": deleteBudget,
  "budgets.deleteServer": deleteServerBudget,
  "budgets.list": listBudgets,
  "budgets.listServer": listServerBudgets,
  "budgets.listSpending": listBudgetSpending,
  "budgets.update": updateBudget,
  "budgets.updateServer": updateServerBudget,
  "prices.list": listPrices,
  "prices.listServer": listServerPrices,
  "prices.remove": removePrice,
  "prices.removeServer": removeServerPrice,
  "prices.set": setPrice,
  "prices.setServer": setServerPrice,
  "usage.get": getUsage,
  "usage.getServer": getServerUsage,
  "usage.own": getOwnUsage,
  "userTokens.create": createBudgetedToken,
} satisfies Implementations;
