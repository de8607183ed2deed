// Gives a command by the map and the bar, as quickly as they take it; returns what each click was for (null when
// there is only a form for it), whether it was sent with the last of them, whether two of them could be one drag, and
// what was pressed. A number typed, or a choice from a list, is one click and two.
async ([index, offered, command, version]) => {
    const drawn = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
    const turn = (selector) => document.querySelector(`#turn ${selector}`);
    const clicks = [];
    // What was pressed, and what the bar said before and after: said when nothing comes of it.
    const pressed = [];
    const said = () => [turn(".question"), turn(".answers"), turn(".tray"), turn(".came")].map((each) => each?.textContent.trim().replace(/\s+/g, " ") ?? "").join(" | ");
    const press = async (element, purpose, shiftKey = false) => {
        const on = element.dataset.area ?? element.textContent.trim().replace(/\s+/g, " ");
        const [before, was] = [said(), document.querySelector(".commands").dataset.version];
        element.dispatchEvent(new MouseEvent("click", { bubbles: true, shiftKey }));
        clicks.push(purpose);
        await drawn();
        pressed.push(`${Math.round(performance.now())} ms: ${on}${shiftKey ? " with Shift" : ""} at version ${was}, of class ${element.getAttribute("class")}: ${before} => ${said()}`);
    };
    // The modules that the page itself has, under the addresses of its release.
    const page = (name) => import(performance.getEntriesByType("resource").find((each) => each.name.split("?")[0].endsWith(name)).name);
    const { begun } = await page("/moves/along.js");
    const { filled, limited } = await page("/moves/filling.js");
    const { chosenIn, hasAlong, movesOf } = await page("/moves/gestures.js");
    const { fromNothing, initial, matches } = await page("/forms/schema.js");
    const schemas = offered.map(fromNothing);
    const schema = schemas[index];
    // Whether what was pointed at went out with that; otherwise its control is open.
    const isSent = async () => {
        for (let frames = 0; frames < 1200; frames += 1) {
            await drawn();
            if (Number(turn(".came").dataset.version) > version) return true;
            if (turn(".tray:not(.before), [role=alert]")) return false;
        }
        throw new Error(["nothing came of pointing", ...pressed, `at last: ${said()}`].join("\n    "));
    };
    const label = (path) => path.join("/");
    const area = (name) => document.querySelector(`svg.board [data-area="${name}"]`);
    const { from, to, between, places = {} } = schema["x-gesture"] ?? {};
    const first = (value) => Array.isArray(value) ? value[0] : typeof value === "object" && value ? Object.keys(value).find((name) => value[name]) : value;
    const placeOf = (name) => { const value = first(command[name]); return places[value] ?? value; };
    await drawn();
    await drawn();
    let [start, end] = between ? command[between].split("|") : [placeOf(from ?? to), from && to ? placeOf(to) : null];
    if (start === end) end = null;
    const isOnMap = Boolean(from ?? to ?? between);
    const places_ = new Set(["type", to, between, ...(from && schema.properties[from].type !== "object" ? [from] : [])]);
    const alongIn = ({ properties }) => Object.entries(properties).filter(([name]) => !places_.has(name) || (name === from && first(command[from]) in places) || (name === to && first(command[to]) in places));
    const names = alongIn(schema).map(([name]) => name);
    const apart = (value, some = names) => some.reduce((all, name) => {
        const [one, other] = [value[name], command[name]];
        const parts = new Set([...Object.keys(one ?? {}), ...Object.keys(other ?? {})]);
        if (Array.isArray(one ?? other)) return all + [...new Set([...(one ?? []), ...(other ?? [])])].filter((each) => (one ?? []).includes(each) !== (other ?? []).includes(each)).length;
        if (typeof (one ?? other) === "object") return all + [...parts].filter((part) => (one?.[part] ?? 0) !== (other?.[part] ?? 0)).length;
        return all + Number((one ?? 0) !== (other ?? 0));
    }, 0);
    // What comes along unless the player chooses: as the page has it.
    const usual = () => {
        const option = { command: command.type, schema };
        const move = movesOf(option).find((each) => each.start === start && each.end === end);
        const free = chosenIn(option).filter((name) => !(name in move.fix));
        const value = { ...initial(schema), ...structuredClone(move.fix) };
        for (const name of free) value[name] ??= schema.properties[name].enum?.[0];
        return limited(schema, begun(option, value, free), chosenIn(option));
    };
    if (isOnMap) {
        const careful = apart(usual()) > 0 || (Array.isArray(command[to]) && command[to].length > 1);
        const isBegun = area(start).matches(".picked") && document.querySelectorAll("svg.board .picked[data-area]").length === 1;
        // A gesture that began by itself is in the way where it could end.
        if (!isBegun && area(start).matches(".open")) await press([...document.querySelectorAll("#turn .answer-button")].find((each) => each.textContent.startsWith("Take back")), "take back");
        if (!isBegun) await press(area(start), "begin", end === null && careful);
        // What comes along is chosen before the end, where it can be; first the way, where there are several.
        const suits = (open) => alongIn(open).every(([name, part]) => (name in command ? matches(part, command[name]) : !open.required.includes(name))) && names.every((name) => !(name in command) || name in open.properties);
        const before = clicks.length;
        const several = document.querySelectorAll("#turn [data-way]");
        let open = schemas[turn(".tray.before")?.dataset.before];
        if (end !== null && open && !suits(open)) {
            // Which of several pieces it is can be said at the end, with the click that sends it.
            const isPiece = Object.values(schema.properties).some((field) => field.enum?.some((value) => value in places));
            const way = !isPiece && [...several].find((each) => suits(schemas[each.dataset.way]));
            if (way) await press(way, "way");
            open = way && schemas[way.dataset.way];
        }
        const isBefore = end !== null && open && !(Array.isArray(command[to]) && command[to].length > 1);
        if (isBefore) await choose(open);
        const isDrag = end !== null && !isBegun && clicks.length === before && !several.length;
        // What the bar shows may not be what is wanted: then it is chosen after the end.
        const isOther = turn(".tray.before") && hasAlong({ command: command.type, schema });
        if (end !== null) await press(area(end), "end", !isBefore && Boolean(careful || isOther));
        else {
            const here = turn(`[data-answer="here/${index}"]`) ?? turn('[data-answer="here"]');
            if (here) await press(here, "end");
        }
        // What comes along is chosen after a click on where it begins, not in a drag.
        if (await isSent()) return [clicks, true, isDrag, pressed];
        const meant = turn(`[data-meant="${index}"]`);
        if (meant && !meant.checked) await press(meant, "way");
        for (const value of Array.isArray(command[to]) ? command[to].slice(1) : []) await press(area(value), "further area");
    } else {
        const [name] = Object.keys(schema.properties).filter((name) => name !== "type" && !("const" in schema.properties[name]));
        const instead = turn(`[data-meant="${index}"]`);
        if (instead && !instead.checked) await press(instead, "way");
        const answer = () => turn(`[data-answer="${index}"]`) ?? turn(`[data-answer="${index}/${command[name]}"]`);
        if (!instead && answer()?.getAttribute("aria-expanded") !== "true") {
            const family = turn(`[data-answer="${command.type}"]`);
            if (!answer() && family) await press(family, "open");
            // What is given at any time is in the list of options only.
            if (!answer()) return [null, false, false, pressed];
            const instant = !answer().hasAttribute("aria-expanded");
            await press(answer(), instant ? "answer" : "open");
            // What cannot be taken back, or costs pieces of one's own, is asked once more.
            if (instant) return [clicks, await isSent(), false, pressed];
        }
    }
    async function set(schema, value, path) {
        if ("const" in schema) return;
        if (turn(`[data-goods="${label(path)}"]`)) {
            const goods = () => turn(`[data-goods="${label(path)}"]`);
            const now = Number(goods().querySelector("input").value);
            const [less, more] = goods().querySelectorAll("button");
            if (now === (value ?? 0)) return;
            if (Math.abs(now - (value ?? 0)) === 1) return press(now < value ? more : less, "count");
            goods().querySelector("input").value = String(value ?? 0);
            goods().querySelector("input").dispatchEvent(new Event("change", { bubbles: true }));
            clicks.push("count");
            return drawn();
        }
        if (turn(`[data-bid="${label(path)}"] input`)) {
            const input = turn(`[data-bid="${label(path)}"] input`);
            const steps = schema.enum ?? Array.from({ length: schema.maximum - schema.minimum + 1 }, (_, at) => schema.minimum + at);
            const at = String(steps.indexOf(value));
            if (input.value === at) return;
            input.value = at;
            input.dispatchEvent(new Event("input", { bubbles: true }));
            clicks.push("count");
            return drawn();
        }
        if (turn(`.side [data-token="${label(path)}"]`)) {
            const at = (side) => turn(`.side:nth-child(${side}) [data-token="${label(path)}"]`);
            const now = Number(at(2)?.dataset.number ?? 0);
            const more = (value ?? 0) - now;
            for (let token = 0; token < Math.abs(more); token += 1) await press(at(more > 0 ? 1 : 2), "token");
            return;
        }
        if (schema.type === "array" && turn(`.side [data-token^="${label(path)}/"]`)) {
            for (const item of schema.items.enum ?? [schema.items.const]) {
                const token = turn(`[data-token="${label([...path, item])}"]`);
                const isIn = Boolean(token.closest(".side:nth-child(2)"));
                if (isIn !== value.includes(item)) await press(token, "token");
            }
            return;
        }
        if (turn(`[data-card^="${label(path)}/"]`)) {
            const card = (item) => turn(`[data-card="${label([...path, item])}"]`);
            const pressed = (item) => card(item).getAttribute("aria-pressed") === "true";
            if ("enum" in schema) {
                if (!pressed(value)) await press(card(value), "card");
            } else if (schema.type === "array") {
                for (const item of schema.items.enum ?? [schema.items.const]) if (pressed(item) !== value.includes(item)) await press(card(item), "card");
            } else {
                for (const [name, { maximum }] of Object.entries(schema.properties)) {
                    const count = () => (maximum > 1 ? Number(card(name).querySelector(".quiet").textContent.trim().split(" ")[0]) : Number(pressed(name)));
                    for (let tries = 0; count() !== (value?.[name] ?? 0) && tries <= maximum; tries += 1) await press(card(name), "card");
                }
            }
            return;
        }
        const field = turn(`.picker [data-field="${label(path)}"]`);
        if (!field && schema.type !== "object") return;
        if (schema.type === "object") {
            const box = field?.querySelector("legend input[type=checkbox]");
            if (box && box.checked !== (value !== undefined)) await press(box, "choice");
            for (const [name, part] of Object.entries(schema.properties)) await set(part, value?.[name], [...path, name]);
        } else if ("enum" in schema || schema.type === "boolean") {
            const at = (schema.enum ?? [true, false]).findIndex((choice) => same(choice, value));
            const select = field.querySelector("select");
            if (select && select.value !== String(at)) {
                select.value = String(at);
                select.dispatchEvent(new Event("change", { bubbles: true }));
                clicks.push("choice", "choice");
            } else if (!select && !field.querySelector(`input[value="${at}"]`).checked) await press(field.querySelector(`input[value="${at}"]`), "choice");
        } else if (schema.type === "integer") {
            const input = field?.querySelector("input");
            const number = field?.querySelector(`input[type=radio][value="${value ?? 0}"]`);
            if (number && !number.checked) await press(number, "count");
            if (input && !number && input.value !== String(value ?? 0)) {
                input.value = String(value ?? 0);
                input.dispatchEvent(new Event("input", { bubbles: true }));
                clicks.push("count");
            }
        } else if (schema.type === "array" && schema.uniqueItems) {
            const choices = schema.items.enum ?? [schema.items.const];
            for (const box of field?.querySelectorAll("input[type=checkbox]") ?? []) {
                if (box.checked !== (value ?? []).some((item) => same(item, choices[box.value]))) await press(box, "piece");
            }
        }
        await drawn();
    }
    async function choose(schema) {
        const along = alongIn(schema);
        const names = along.map(([name]) => name);
        const [most, least] = [...document.querySelectorAll("#turn .picker .buttons button")].filter((each) => ["All", "None"].includes(each.textContent));
        if (most) {
            const base = { ...initial(schema), ...command };
            const shown = Object.fromEntries(along.map(([name, part]) => [name, read(part, [name])]));
            const best = [[apart(shown, names), null], [apart(filled(schema, base, names, true), names) + 1, most], [apart(filled(schema, base, names, false), names) + 1, least]];
            for (const only of document.querySelectorAll("#turn .picker [data-only]")) {
                const none = Object.fromEntries(names.map((name) => [name, 0]));
                best.push([apart({ ...none, [only.dataset.only]: schema.properties[only.dataset.only]?.maximum ?? 0 }, names) + 1, only]);
            }
            for (const again of document.querySelectorAll("#turn .picker [data-again]")) best.push([apart({ ...shown, ...JSON.parse(again.dataset.again) }, names) + 1, again]);
            const [, button] = best.sort(([one], [other]) => one - other)[0];
            if (button) await press(button, "all, none, again");
        }
        // What fewer leaders leave behind, and what makes room, may have to be chosen once more.
        for (let [before, passes] = [-1, 0]; before !== clicks.length && passes < 4; passes += 1) {
            before = clicks.length;
            for (const [name, part] of along) await set(part, command[name], [name]);
        }
    }
    function read(part, path) {
        const field = turn(`.picker [data-field="${label(path)}"]`);
        if ("const" in part) return part.const;
        if (part.type === "object") return Object.fromEntries(Object.entries(part.properties).map(([name, each]) => [name, read(each, [...path, name])]));
        if (part.type === "integer") return Number(field?.querySelector("input:checked, input:not([type=radio])")?.value ?? part.minimum);
        if (part.type === "array") return [...(field?.querySelectorAll("input:checked") ?? [])].map((box) => (part.items.enum ?? [part.items.const])[box.value]);
        const at = field?.querySelector("select")?.value ?? field?.querySelector("input:checked")?.value;
        return at === undefined ? undefined : (part.enum ?? [true, false])[at];
    }
    await choose(schema);
    for (const button of document.querySelectorAll("#turn [data-last]")) {
        const [name, ...value] = button.dataset.last.split("/");
        if (value.join("/") !== String(command[name])) continue;
        await press(button, "last");
        return [clicks, await isSent(), end !== null, pressed];
    }
    return [clicks, false, end !== null, pressed];
}
