CREATE TABLE "budget_holds" (
	"reservation_id" text NOT NULL,
	"budget_id" bigint NOT NULL,
	"subject" text NOT NULL,
	"starts_at" bigint NOT NULL,
	"amount" bigint NOT NULL,
	"settled" bigint,
	CONSTRAINT "budget_holds_reservation_id_budget_id_pk" PRIMARY KEY("reservation_id","budget_id")
);
--> statement-breakpoint
CREATE TABLE "budget_spending" (
	"budget_id" bigint NOT NULL,
	"subject" text NOT NULL,
	"starts_at" bigint NOT NULL,
	"ends_at" bigint,
	"spent" bigint NOT NULL,
	"reserved" bigint NOT NULL,
	"reached_at" bigint,
	CONSTRAINT "budget_spending_budget_id_subject_starts_at_pk" PRIMARY KEY("budget_id","subject","starts_at")
);
--> statement-breakpoint
CREATE TABLE "budgets" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "budgets_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"sid" text NOT NULL,
	"workspace_id" bigint,
	"name" text NOT NULL,
	"scope" text NOT NULL,
	"subject" text,
	"measure" text NOT NULL,
	"period" text NOT NULL,
	"timezone" text NOT NULL,
	"limit" bigint NOT NULL,
	"currency" text,
	"is_hard" boolean NOT NULL,
	"is_operators" boolean NOT NULL,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	CONSTRAINT "budgets_sid_unique" UNIQUE("sid")
);
--> statement-breakpoint
CREATE TABLE "model_prices" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "model_prices_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"workspace_id" bigint,
	"provider_id" text NOT NULL,
	"model_id" text NOT NULL,
	"valid_from" bigint NOT NULL,
	"currency" text NOT NULL,
	"input" bigint,
	"cached_input" bigint,
	"cache_write" bigint,
	"output" bigint,
	"reasoning" bigint,
	"image" bigint,
	"note" text,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "usage_entries" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "usage_entries_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"workspace_id" bigint NOT NULL,
	"at" bigint NOT NULL,
	"origin" text NOT NULL,
	"log_id" text NOT NULL,
	"attempt" integer NOT NULL,
	"call" integer NOT NULL,
	"step" integer NOT NULL,
	"conversation_id" bigint NOT NULL,
	"space_id" bigint,
	"api_key_id" bigint,
	"user_id" bigint,
	"agent_id" text NOT NULL,
	"provider_id" text NOT NULL,
	"model_id" text NOT NULL,
	"input_tokens" bigint,
	"output_tokens" bigint,
	"cached_input_tokens" bigint,
	"cache_write_tokens" bigint,
	"reasoning_tokens" bigint,
	"amount" bigint,
	"currency" text NOT NULL,
	"is_estimated" boolean NOT NULL,
	"skills" jsonb,
	"tools" jsonb,
	"sources" jsonb,
	"tags" jsonb,
	"is_summed" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "usage_reservations" (
	"id" text PRIMARY KEY NOT NULL,
	"workspace_id" bigint NOT NULL,
	"log_id" text NOT NULL,
	"attempt" integer NOT NULL,
	"created_at" bigint NOT NULL,
	"amount" bigint NOT NULL,
	"entry" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "usage_sums" (
	"workspace_id" bigint NOT NULL,
	"period" text NOT NULL,
	"starts_at" bigint NOT NULL,
	"origin" text NOT NULL,
	"api_key_id" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	"agent_id" text NOT NULL,
	"provider_id" text NOT NULL,
	"model_id" text NOT NULL,
	"currency" text NOT NULL,
	"calls" bigint NOT NULL,
	"unpriced_calls" bigint NOT NULL,
	"input_tokens" bigint NOT NULL,
	"output_tokens" bigint NOT NULL,
	"cached_input_tokens" bigint NOT NULL,
	"cache_write_tokens" bigint NOT NULL,
	"reasoning_tokens" bigint NOT NULL,
	"amount" bigint NOT NULL,
	"estimated_amount" bigint NOT NULL,
	CONSTRAINT "usage_sums_pk" PRIMARY KEY("workspace_id","period","starts_at","origin","api_key_id","user_id","agent_id","provider_id","model_id","currency")
);
--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "api_key_id" bigint;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "user_id" bigint;--> statement-breakpoint
ALTER TABLE "workspaces" ADD COLUMN "currency" text DEFAULT 'USD' NOT NULL;--> statement-breakpoint
CREATE INDEX "budget_holds_settled" ON "budget_holds" USING btree ("budget_id","subject","starts_at") WHERE "budget_holds"."settled" is not null;--> statement-breakpoint
CREATE INDEX "budget_spending_by_end" ON "budget_spending" USING btree ("ends_at");--> statement-breakpoint
CREATE INDEX "budgets_by_workspace" ON "budgets" USING btree ("workspace_id");--> statement-breakpoint
CREATE INDEX "model_prices_by_model" ON "model_prices" USING btree ("workspace_id","provider_id","model_id","valid_from","id");--> statement-breakpoint
CREATE UNIQUE INDEX "usage_entries_by_call" ON "usage_entries" USING btree ("log_id","attempt","call");--> statement-breakpoint
CREATE INDEX "usage_entries_by_time" ON "usage_entries" USING btree ("workspace_id","at");--> statement-breakpoint
CREATE INDEX "usage_entries_by_age" ON "usage_entries" USING brin ("at");--> statement-breakpoint
CREATE INDEX "usage_entries_unsummed" ON "usage_entries" USING btree ("workspace_id","id") WHERE not "usage_entries"."is_summed";--> statement-breakpoint
CREATE INDEX "usage_sums_by_age" ON "usage_sums" USING btree ("period","starts_at");--> statement-breakpoint
-- The budgets of a measure that apply to a payer, each with the subject and the period that it counts for now. In
-- PL/pgSQL, it is planned once in a session, which takes longer than running it.
CREATE FUNCTION "limits_of"(
	"of_measure" text, "of_workspace" bigint, "of_key" bigint, "of_user" bigint, "of_agent" text,
	"of_conversation" text, "now_ms" bigint
)
RETURNS TABLE (
	"budget_id" bigint, "scope" text, "subject" text, "period" text, "starts_at" bigint, "ends_at" bigint,
	"limit" bigint, "is_hard" boolean
) LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
BEGIN
	RETURN QUERY SELECT b.id, b.scope, s.subject, b.period,
		coalesce((extract(epoch FROM p.starts AT TIME ZONE b.timezone) * 1000)::bigint, 0),
		(extract(epoch FROM p.ends AT TIME ZONE b.timezone) * 1000)::bigint, b."limit", b.is_hard
	FROM budgets b
	CROSS JOIN LATERAL (
		SELECT CASE b.scope
			WHEN 'api_key' THEN (SELECT k.sid FROM api_keys k WHERE k.id = of_key)
			WHEN 'user' THEN (SELECT u.sid FROM users u WHERE u.id = of_user)
			WHEN 'agent' THEN of_agent
			WHEN 'conversation' THEN of_conversation
			ELSE ''
		END AS subject
	) s
	CROSS JOIN LATERAL (
		SELECT date_trunc(b.period, at) AS starts, date_trunc(b.period, at) + ('1 ' || b.period)::interval AS ends
		FROM (SELECT to_timestamp(now_ms / 1000.0) AT TIME ZONE b.timezone AS at) now
		WHERE b.period IN ('minute', 'day', 'week', 'month')
		UNION ALL
		SELECT NULL, NULL WHERE b.period IN ('answer', 'all')
	) p
	WHERE (b.workspace_id = of_workspace OR b.workspace_id IS NULL) AND b.measure = of_measure
		AND s.subject = coalesce(b.subject, s.subject);
END
$$;--> statement-breakpoint
-- The budgets of money that apply to what a run costs.
CREATE FUNCTION "budgets_of"(
	"of_workspace" bigint, "of_key" bigint, "of_user" bigint, "of_agent" text, "of_conversation" text, "now_ms" bigint
)
RETURNS TABLE (
	"budget_id" bigint, "scope" text, "subject" text, "starts_at" bigint, "ends_at" bigint, "limit" bigint,
	"is_hard" boolean
) LANGUAGE sql STABLE AS $$
	SELECT l.budget_id, l.scope, l.subject, l.starts_at, l.ends_at, l."limit", l.is_hard
	FROM limits_of('money', of_workspace, of_key, of_user, of_agent, of_conversation, now_ms) l
$$;--> statement-breakpoint
-- Reserves what calls may cost, in the order in which they are given: `most`, or what is left if that is at least
-- `fewest`. Both are null for a call without a price. Which budgets apply is read once: one that is added meanwhile
-- counts from the next statement on. Their rows are locked in the order of their numbers, and what was settled since
-- then counts as spent. An outcome is `granted`; `none` if no budget applies, or the
-- call is free; `busy` if others have reserved what is
-- left; `exceeded`; or `unpriced`, if a hard budget applies to a call without a price. The last three have the scope
-- of the tightest budget, and the end of its period. `reached` has the soft budgets whose limit a call finds spent for
-- the first time.
CREATE FUNCTION "reserve_usage"("requests" json, "now_ms" bigint)
RETURNS TABLE (
	"id" text, "outcome" text, "granted" bigint, "scope" text, "ends_at" bigint, "reached" json
) LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
DECLARE
	asked record;
	applied json;
	applying record;
	tightest record;
	newly_reached json;
	given bigint;
	fit boolean;
BEGIN
	SELECT json_agg(json_build_object('id', r.id, 'budget_id', b.budget_id, 'scope', b.scope, 'subject', b.subject,
		'starts_at', b.starts_at, 'ends_at', b.ends_at, 'limit', b."limit", 'is_hard', b.is_hard))
	INTO applied
	FROM json_to_recordset(requests)
			AS r(id text, workspace_id bigint, api_key_id bigint, user_id bigint, agent_id text, conversation_sid text),
		LATERAL budgets_of(r.workspace_id, r.api_key_id, r.user_id, r.agent_id, r.conversation_sid, now_ms) b;

	INSERT INTO budget_spending (budget_id, subject, starts_at, ends_at, spent, reserved)
	SELECT DISTINCT a.budget_id, a.subject, a.starts_at, a.ends_at, 0, 0
	FROM json_to_recordset(applied) AS a(budget_id bigint, subject text, starts_at bigint, ends_at bigint)
	ORDER BY 1, 2, 3
	ON CONFLICT DO NOTHING;
	PERFORM FROM budget_spending s
	WHERE (s.budget_id, s.subject, s.starts_at) IN (
		SELECT a.budget_id, a.subject, a.starts_at
		FROM json_to_recordset(applied) AS a(budget_id bigint, subject text, starts_at bigint)
	)
	ORDER BY s.budget_id, s.subject, s.starts_at FOR UPDATE;

	WITH places AS MATERIALIZED (
		SELECT DISTINCT a.budget_id, a.subject, a.starts_at
		FROM json_to_recordset(applied) AS a(budget_id bigint, subject text, starts_at bigint)
	),
	folded AS (
		DELETE FROM budget_holds h USING places p
		WHERE h.budget_id = p.budget_id AND h.subject = p.subject AND h.starts_at = p.starts_at
			AND h.settled IS NOT NULL
		RETURNING h.budget_id, h.subject, h.starts_at, h.amount, h.settled
	)
	UPDATE budget_spending s SET spent = s.spent + f.settled, reserved = s.reserved - f.amount
	FROM (
		SELECT budget_id, subject, starts_at, sum(amount) AS amount, sum(settled) AS settled
		FROM folded GROUP BY 1, 2, 3
	) f
	WHERE s.budget_id = f.budget_id AND s.subject = f.subject AND s.starts_at = f.starts_at;

	-- Mostly all of them fit, and are written together.
	SELECT bool_and(coalesce(d.asked_amount <= d."limit" - s.spent - s.reserved, false) OR NOT d.is_hard AND (
		s.spent < d."limit" OR s.reached_at IS NOT NULL
	)) AND NOT EXISTS (
		SELECT FROM usage_reservations WHERE id IN (SELECT r.id FROM json_to_recordset(requests) AS r(id text))
	)
	INTO fit
	FROM (
		SELECT a.budget_id, a.subject, a.starts_at, a."limit", a.is_hard,
			CASE WHEN bool_and(r.most IS NOT NULL) THEN sum(r.most) END AS asked_amount
		FROM json_to_recordset(applied)
			AS a(id text, budget_id bigint, subject text, starts_at bigint, "limit" bigint, is_hard boolean)
		JOIN json_to_recordset(requests) AS r(id text, most bigint) USING (id)
		GROUP BY 1, 2, 3, 4, 5
	) d
	JOIN budget_spending s USING (budget_id, subject, starts_at);
	IF fit THEN
		WITH made AS (
			INSERT INTO usage_reservations (id, workspace_id, log_id, attempt, created_at, amount, entry)
			SELECT r.id, r.workspace_id, r.log_id, r.attempt, now_ms, r.most, r.entry
			FROM json_to_recordset(requests)
				AS r(id text, workspace_id bigint, log_id text, attempt integer, most bigint, entry jsonb)
			WHERE r.most > 0 AND r.id IN (SELECT a.id FROM json_to_recordset(applied) AS a(id text))
			RETURNING id, amount
		),
		held AS (
			INSERT INTO budget_holds (reservation_id, budget_id, subject, starts_at, amount)
			SELECT made.id, a.budget_id, a.subject, a.starts_at, made.amount
			FROM made
			JOIN json_to_recordset(applied) AS a(id text, budget_id bigint, subject text, starts_at bigint) USING (id)
			RETURNING budget_id, subject, starts_at, amount
		)
		UPDATE budget_spending s SET reserved = s.reserved + h.amount
		FROM (SELECT budget_id, subject, starts_at, sum(amount) AS amount FROM held GROUP BY 1, 2, 3) h
		WHERE s.budget_id = h.budget_id AND s.subject = h.subject AND s.starts_at = h.starts_at;
		RETURN QUERY
		SELECT r.id, CASE WHEN r.most > 0 AND a.id IS NOT NULL THEN 'granted' ELSE 'none' END, r.most, NULL::text,
			NULL::bigint, NULL::json
		FROM json_to_recordset(requests) AS r(id text, most bigint)
		LEFT JOIN (SELECT DISTINCT id FROM json_to_recordset(applied) AS a(id text)) a ON a.id = r.id;
		RETURN;
	END IF;

	FOR asked IN
		SELECT r.* FROM json_to_recordset(requests) AS r(
			id text, workspace_id bigint, log_id text, attempt integer, fewest bigint, most bigint, entry jsonb
		)
	LOOP
		-- The answer to an earlier call was lost.
		SELECT r.amount INTO given FROM usage_reservations r WHERE r.id = asked.id;
		IF FOUND THEN
			RETURN QUERY SELECT asked.id, 'granted'::text, given, NULL::text, NULL::bigint, NULL::json;
			CONTINUE;
		END IF;
		SELECT count(*) AS budgets, bool_or(a.is_hard) AS is_hard, bool_and(a.is_hard) AS are_hard,
			min(a."limit" - s.spent - s.reserved) FILTER (WHERE a.is_hard) AS free,
			min(a."limit" - s.spent) FILTER (WHERE a.is_hard) AS unspent
		INTO applying
		FROM json_to_recordset(applied)
			AS a(id text, budget_id bigint, subject text, starts_at bigint, "limit" bigint, is_hard boolean)
		JOIN budget_spending s USING (budget_id, subject, starts_at)
		WHERE a.id = asked.id;
		IF applying.budgets = 0 OR asked.most = 0 OR (asked.most IS NULL AND NOT applying.is_hard) THEN
			RETURN QUERY SELECT asked.id, 'none'::text, asked.most, NULL::text, NULL::bigint, NULL::json;
			CONTINUE;
		END IF;
		given := least(asked.most, coalesce(applying.free, asked.most));
		IF given >= asked.fewest THEN
			INSERT INTO usage_reservations (id, workspace_id, log_id, attempt, created_at, amount, entry)
			VALUES (asked.id, asked.workspace_id, asked.log_id, asked.attempt, now_ms, given, asked.entry);
			WITH held AS (
				INSERT INTO budget_holds (reservation_id, budget_id, subject, starts_at, amount)
				SELECT asked.id, a.budget_id, a.subject, a.starts_at, given
				FROM json_to_recordset(applied) AS a(id text, budget_id bigint, subject text, starts_at bigint)
				WHERE a.id = asked.id
				RETURNING budget_id, subject, starts_at
			)
			UPDATE budget_spending s SET reserved = s.reserved + given
			FROM held
			WHERE s.budget_id = held.budget_id AND s.subject = held.subject AND s.starts_at = held.starts_at;
			newly_reached := NULL;
			IF applying.are_hard THEN
				RETURN QUERY SELECT asked.id, 'granted'::text, given, NULL::text, NULL::bigint, newly_reached;
				CONTINUE;
			END IF;
			WITH found AS (
				UPDATE budget_spending s SET reached_at = now_ms
				FROM budget_holds h JOIN budgets b ON b.id = h.budget_id
				WHERE h.reservation_id = asked.id AND s.budget_id = h.budget_id AND s.subject = h.subject
					AND s.starts_at = h.starts_at AND s.spent >= b."limit" AND s.reached_at IS NULL AND NOT b.is_hard
				RETURNING b.sid, b.scope, s.ends_at
			)
			SELECT json_agg(json_build_object('budgetId', f.sid, 'scope', f.scope, 'endsAt', f.ends_at))
			INTO newly_reached FROM found f;
			RETURN QUERY SELECT asked.id, 'granted'::text, given, NULL::text, NULL::bigint, newly_reached;
			CONTINUE;
		END IF;
		SELECT a.scope, a.ends_at INTO tightest
		FROM json_to_recordset(applied) AS a(
			id text, budget_id bigint, scope text, subject text, starts_at bigint, ends_at bigint, "limit" bigint,
			is_hard boolean
		)
		JOIN budget_spending s USING (budget_id, subject, starts_at)
		WHERE a.id = asked.id AND a.is_hard ORDER BY a."limit" - s.spent, a.budget_id LIMIT 1;
		RETURN QUERY SELECT asked.id,
			CASE
				WHEN asked.most IS NULL THEN 'unpriced'
				WHEN applying.unspent >= asked.fewest THEN 'busy'
				ELSE 'exceeded'
			END,
			NULL::bigint, tightest.scope, tightest.ends_at, NULL::json;
	END LOOP;
END
$$;
