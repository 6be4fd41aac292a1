// Where the settings have a field of a scenario: the words beside its control, and the control's id.

interface Place {
  /** The field's path; groups of the expression are put into the label and the id, for $1 and so on. */
  readonly path: RegExp;
  readonly label: string;
  readonly id: string;
}

const PLACES: readonly Place[] = [
  { path: /^dumbbell\.bottleneck\.rate$/, label: "Rate of the bottleneck", id: "rate-value" },
  { path: /^dumbbell\.bottleneck\.queue\.packets$/, label: "Buffer of the bottleneck", id: "buffer-value" },
  { path: /^dumbbell\.bottleneck\.queue\.kind$/, label: "Queue of the bottleneck", id: "queue" },
  { path: /^dumbbell\.bottleneck\.queue\.(\w+)$/, label: "Parameters of the queue, $1", id: "queue-$1" },
  { path: /^dumbbell\.bottleneck\.queue$/, label: "Queue of the bottleneck and its parameters", id: "queue" },
  { path: /^dumbbell\.bottleneck\.loss\b.*$/, label: "Random loss of the bottleneck", id: "loss-value" },
  { path: /^dumbbell\.(?:\w+\.)?delay$/, label: "Round-trip time", id: "g0-rtt-value" },
  { path: /^clients\.(\d+)\.access\.delay$/, label: "Round-trip time", id: "g$1-rtt-value" },
  { path: /^clients\.(\d+)\.count$/, label: "Flows", id: "g$1-count-value" },
  { path: /^clients\.(\d+)\.start$/, label: "Start", id: "g$1-start-value" },
  { path: /^clients\.(\d+)\.spread$/, label: "Random delay of starts", id: "g$1-spread-value" },
  { path: /^clients\.(\d+)\.source\.kind$/, label: "Source", id: "g$1-source" },
  { path: /^clients\.(\d+)\.source\.(?:rate|hurst|cov|on|off|size|think)\b.*$/, label: "Source", id: "g$1-source" },
  { path: /^clients\.(\d+)\.transport\.(?:kind|variant)$/, label: "Law", id: "g$1-law" },
  { path: /^clients\.(\d+)\.transport\.recovery$/, label: "Loss recovery", id: "g$1-recovery" },
  { path: /^clients\.(\d+)\.transport\.(\w+)$/, label: "Options of TCP, $2", id: "g$1-tcp-$2" },
  { path: /^duration$/, label: "Duration", id: "duration-value" },
  { path: /^seed$/, label: "Seed", id: "seed-value" },
  { path: /^measure\.from$/, label: "Measure from", id: "from-value" },
  { path: /^measure\.bin$/, label: "Bin of arrivals", id: "bin-value" },
];

function placed(path: string, part: "label" | "id"): string | undefined {
  const place = PLACES.find((each) => each.path.test(path));
  return place && path.replace(place.path, place[part]);
}

/** What the settings call a field; the field's path if they do not have it. */
export const labelOf = (path: string): string => placed(path, "label") ?? path;

/** The id of the control of a field. */
export const idOf = (path: string): string | undefined => placed(path, "id");
