#include "api/job_rows.h"

#include <algorithm>
#include <utility>

#include "api/veil.h"
#include "core/access/rights.h"
#include "core/backfill/deadline.h"
#include "core/explain/knowledge.h"
#include "core/model/kind.h"
#include "core/model/placeholders.h"
#include "core/model/reason.h"
#include "core/state/run_time.h"
#include "jobdir/job_directory.h"
#include "wire/message_json.h"

namespace gpusched {
namespace {

constexpr std::size_t kRowPieceBytes = 192U << 10;
// Jobs looked at in one go when few of them match.
constexpr std::size_t kRowsPerPiece = 5000;
// Jobs shown in detail between two readings of environments.
constexpr std::size_t kDetailsAtOnce = 16;

OwnerFacts owner_facts(const Context& context, const Job& job, const EnvironmentsByHash& read) {
  OwnerFacts facts;
  const Environment* environment = job.spec->environment.get();
  if (environment != nullptr && environment->away) {
    const auto found = read.find(environment->hash);
    if (found != read.end()) environment = found->second.get();
  }
  if (environment != nullptr) facts.environment = with_own_variables(environment->variables, job);
  if (job.attempt == 0 || !kind_of(job).has_shim) return facts;
  facts.directory = attempt_directory(context.ports.state_directory, job.current_attempt());
  if (!kind_of(job).started_here) return facts;
  if (job.active()) facts.control_socket = facts.directory + "/control";
  if (const auto directory = open_attempt(context.ports.state_directory, job.current_attempt());
      directory && *directory) {
    const auto text = read_file(directory->get(), "status");
    const auto status = text && *text ? parse_status(**text) : failure(ErrorCode::kNotFound, "");
    if (status) {
      facts.device_filter = status->device_filter;
      facts.without_mps = status->without_mps();
      facts.vram_limit_by = status->vram_limit;
    }
  }
  facts.log_path = output_path_of(job);
  if (facts.log_path.empty()) facts.log_path = facts.directory + "/log";
  return facts;
}

// The state of one list on its way to the client.
class RowStream : public std::enable_shared_from_this<RowStream> {
 public:
  RowStream(Context& context, Principal actor, RowsAsked asked)
      : context_(context), actor_(std::move(actor)), asked_(std::move(asked)) {
    left_ = asked_.first.value_or(UINT64_MAX);
    if (asked_.folding == Folding::kNone) return;
    fold_.emplace();
    if (asked_.folding == Folding::kWhole && asked_.ids) {
      fold_->only_whole(context_.state(), *asked_.ids);
    }
  }

  // Appends the next piece to `out`. kWait: `ready` will be called. REQUIRES: no commit is under
  // way.
  Pull next(std::string& out, const std::function<void()>& ready) {
    if (failed_) return Pull::kAbort;
    if (asked_.details && !has_environments(ready)) return Pull::kWait;
    piece_.clear();
    if (!begun_) {
      piece_ += asked_.head;
      begun_ = true;
    }
    const Pull said = asked_.newest ? look_back() : asked_.ids ? walk_ids() : walk_all();
    if (said == Pull::kEnd) finish();
    out += piece_;
    return said;
  }

  Pull pull(const Responder& responder, std::string& out) {
    if (context_.after_commit.must_wait()) {
      context_.after_commit.run_later(actor_.account(), [responder] { responder.wake(); });
      return Pull::kWait;
    }
    return next(out, [responder] { responder.wake(); });
  }
  std::uint32_t asker() const { return actor_.account(); }
  const auto& headers() const { return asked_.headers; }
  // Why next() said kAbort.
  const std::optional<Error>& failed() const { return failed_; }

 private:
  // Of the next few jobs; else they are being read.
  bool has_environments(const std::function<void()>& ready) {
    if (position_ < details_until_) return true;
    std::vector<std::string> wanted;
    details_until_ = std::min(position_ + kDetailsAtOnce, asked_.ids->size());
    if (!context_.ports.read_environments) return true;
    const RowWriter writer(context_, actor_);
    for (std::size_t i = position_; i < details_until_; ++i) {
      const Job* job = context_.state().find((*asked_.ids)[i]);
      const Environment* one = job == nullptr ? nullptr : job->spec->environment.get();
      if (one != nullptr && one->away && writer.shows_files(*job)) wanted.push_back(one->hash);
    }
    read_.clear();
    if (wanted.empty()) return true;
    context_.ports.read_environments(
        std::move(wanted), [self = shared_from_this(), ready](Result<EnvironmentsByHash> found) {
          if (found) {
            self->read_ = std::move(*found);
          } else {
            self->failed_ = found.error();
          }
          ready();
        });
    return false;
  }

  void write(RowWriter& writer, const Job& job) {
    if (rows_++ > 0) piece_ += ',';
    std::string whole;
    JsonWriter json(asked_.fields ? whole : piece_);
    if (asked_.details) {
      writer.details(json, job, read_);
    } else {
      writer.row(json, job);
    }
    if (asked_.fields) asked_.fields->append(piece_, whole);
  }
  RowWriter writer() const { return {context_, actor_, asked_.fields ? &*asked_.fields : nullptr}; }

  // True: it is counted in the line of its sweep.
  bool folded(const Job& job) { return fold_ && fold_->take(context_.state(), job); }

  void finish() {
    if (!fold_) {
      piece_ += asked_.tail;
      return;
    }
    RowWriter writer(context_, actor_);
    for (const JobId id : fold_->take_lone()) {
      if (const Job* job = context_.state().find(id)) write(writer, *job);
    }
    piece_ += "],\"sweeps\":[";
    bool first = true;
    for (const auto& [array, line] : fold_->lines()) {
      std::string text;
      JsonWriter json(text);
      writer.sweep(json, line);
      if (text.empty()) continue;
      piece_ += std::exchange(first, false) ? text : "," + text;
    }
    piece_ += asked_.tail;
  }

  // Finds the last N that match, from the end; then they are written like a list of ids.
  Pull look_back() {
    std::size_t looks = kRowsPerPiece;
    const auto& jobs = context_.state().jobs();
    auto it = at_ == JobId{} ? jobs.end() : jobs.lower_bound(at_);
    while (it != jobs.begin()) {
      if (looks-- == 0) return Pull::kMore;
      --it;
      at_ = it->first;
      if (!matches(it->second)) continue;
      // A sweep is one of the N; it is counted to its first job.
      const bool begun = fold_ && it->second.task && fold_->has(it->second.task->array);
      const std::size_t lines = found_.size() + (fold_ ? fold_->lines().size() : 0);
      if (lines >= *asked_.newest && !begun) break;
      if (!folded(it->second)) found_.push_back(it->first);
    }
    std::ranges::reverse(found_);
    asked_.ids = std::move(found_);
    asked_.newest.reset();
    counted_ = true;
    return walk_ids();
  }

  Pull walk_ids() {
    RowWriter writer = this->writer();
    std::size_t looks = kRowsPerPiece;
    while (position_ < asked_.ids->size() && left_ > 0) {
      if (piece_.size() >= kRowPieceBytes || looks-- == 0) return Pull::kMore;
      if (asked_.details && position_ == details_until_) return Pull::kMore;
      const Job* job = context_.state().find((*asked_.ids)[position_++]);
      if (job == nullptr) continue;  // Retention took it meanwhile.
      if (!counted_ && folded(*job)) continue;
      write(writer, *job);
      --left_;
    }
    return Pull::kEnd;
  }

  Pull walk_all() {
    RowWriter writer = this->writer();
    std::size_t looks = kRowsPerPiece;
    const auto& jobs = context_.state().jobs();
    // The jobs of an array follow each other.
    const std::optional<JobId> array = asked_.filter.array;
    if (array && at_ < *array) at_ = JobId{number_of(*array) - 1};
    for (auto it = jobs.upper_bound(at_); it != jobs.end() && left_ > 0; ++it) {
      if (piece_.size() >= kRowPieceBytes || looks-- == 0) return Pull::kMore;
      at_ = it->first;
      if (array && (!it->second.task || it->second.task->array != *array)) break;
      if (!matches(it->second) || folded(it->second)) continue;
      write(writer, it->second);
      --left_;
    }
    return Pull::kEnd;
  }

  bool matches(const Job& job) const {
    return asked_.filter.matches(job) && !context_.state().in_open_submission(job.id);
  }

  Context& context_;
  Principal actor_;
  RowsAsked asked_;
  std::string piece_;
  bool begun_ = false;
  std::uint64_t left_ = 0;
  std::uint64_t rows_ = 0;
  JobId at_{};  // The last one looked at.
  std::size_t position_ = 0;
  std::vector<JobId> found_;
  std::optional<SweepFold> fold_;
  bool counted_ = false;           // What is in found_ is not of a line.
  std::size_t details_until_ = 0;  // So far environments are known.
  EnvironmentsByHash read_;
  std::optional<Error> failed_;
};

void begin(Context& context, const std::shared_ptr<RowStream>& stream, const Responder& responder) {
  std::string first;
  const Pull said = stream->next(first, [&context, stream, responder] {
    context.after_commit.run(stream->asker(),
                             [&context, stream, responder] { begin(context, stream, responder); });
  });
  if (said == Pull::kWait) return;
  if (said == Pull::kAbort) return responder.fail(*stream->failed());
  HttpResponse response = json_response({});
  response.headers = stream->headers();
  if (said == Pull::kEnd) {
    response.body = std::move(first);
    return responder.send(std::move(response));
  }
  response.stream = [stream, responder, first = std::move(first)](std::string& out) mutable {
    if (!first.empty()) {
      out = std::exchange(first, {});
      return Pull::kMore;
    }
    return stream->pull(responder, out);
  };
  responder.send(std::move(response));
}

}  // namespace

Result<Folding> parse_folding(const std::map<std::string, std::string>& query) {
  const auto it = query.find("sweeps");
  if (it == query.end() || it->second == "0") return Folding::kNone;
  if (it->second == "1") return Folding::kAny;
  if (it->second == "whole") return Folding::kWhole;
  return failure(ErrorCode::kInvalid, "sweeps must be 0, 1 or whole");
}

RowWriter::RowWriter(const Context& context, const Principal& actor, const FieldChoice* only)
    : context_(context), actor_(actor), tells_why_(only == nullptr || only->asks_why()) {}

const std::string& RowWriter::deadline_of(const Job& job, std::optional<Wall> start) {
  deadline_ = deadline_warning(context_.state(), job, start, context_.now());
  return deadline_;
}

RowFacts RowWriter::waiting_facts(const Job& job) {
  const bool waits =
      std::holds_alternative<Held>(job.state) || std::holds_alternative<Queued>(job.state);
  const bool away = is_aside(job) && aside_phase(job) != AsidePhase::kResuming;
  if (!waits && !away) return {};
  const Now now = context_.now();
  if (!reasons_) reasons_.emplace(context_.state(), now);
  const std::vector<Reason>& why = reasons_->of(job);
  const Veil veil(context_, actor_);
  reason_ = why.empty() ? "" : veil.over(describe(veil.over(why.front())));
  RowFacts facts;
  if (const StartEstimate* estimate = context_.estimates.of(job)) {
    facts.estimated_start = std::max(estimate->likely, now.wall);
  }
  start_unknown_ = veil.over(context_.estimates.why_unknown(job));
  facts.start_unknown = start_unknown_;
  facts.deadline_warning = deadline_of(job, facts.estimated_start);
  // That nobody knows is no reason to worry in every list.
  if (!deadline_.empty() && run_is_known(context_.state(), job)) reason_ += "; " + deadline_;
  facts.reason = reason_;
  return facts;
}

std::string RowWriter::reason_of(const Job& job) { return std::string(waiting_facts(job).reason); }

bool RowWriter::shows_files(const Job& job) const {
  return may(actor_, Action::kSeeFiles, owned_by(job.owner));
}

bool RowWriter::shows_arguments(const Job& job) const {
  return may(actor_, Action::kSeeArguments, owned_by(job.owner), context_.limits.arguments_for_all);
}

RowFacts RowWriter::facts_of(const Job& job) {
  RowFacts facts = tells_why_ ? waiting_facts(job) : RowFacts{};
  facts.arguments = shows_arguments(job);
  if (!tells_why_) return facts;
  const auto* running = std::get_if<Running>(&job.state);
  if (running == nullptr) return facts;
  const StateView& state = context_.state();
  facts.deadline_warning = deadline_of(job, std::nullopt);
  facts.progress = state.seen().uses.progress_of(job.current_attempt());
  const auto run = expected_run(state, job);
  // One that is over its time is expected to end any moment; that is not worth a word.
  if (run && !is_aside(job)) {
    const Wall now = context_.now().wall;
    const Wall end = now - ran_for(*running, now) + *run;
    if (end > now) facts.expected_end = end;
  }
  return facts;
}

void RowWriter::row(JsonWriter& json, const Job& job) {
  write_job_row(json, job, facts_of(job), context_.state().cards());
}

void RowWriter::sweep(JsonWriter& json, const SweepLine& line) {
  const StateView& state = context_.state();
  const Job* found = state.find(line.first);
  if (found == nullptr) return;  // Retention took it meanwhile.
  Job sample = *found;
  const Counts* all = state.counts_of_array(line.array);
  const Job* waiting = line.waits ? state.find(*line.waits) : nullptr;
  wire::Sweep answer{.id = number_of(line.array),
                     .first = number_of(line.first),
                     .last = number_of(line.last),
                     .count = line.counts.total(),
                     .of = all == nullptr ? line.counts.total() : all->total(),
                     .counts = answer_of(line.counts),
                     .reason = waiting == nullptr ? std::string() : reason_of(*waiting),
                     .priority = sample.priority,
                     .submitted_at = sample.submitted_at,
                     .name = sample.spec->name,
                     .user = sample.owner.user,
                     .tenant = sample.tenant,
                     .group = sample.spec->group};
  const bool arguments = shows_arguments(sample);
  if (arguments) {
    for (const auto& [name, unused] : sample.task->values) answer.parameters.push_back(name);
  }
  for (const CardNumber card : cards_of_sweep(state, line.array)) {
    answer.cards.push_back(number_of(card));
  }
  // With its placeholders.
  sample.task.reset();
  answer.command = arguments ? command_line_of(sample) : program_of(sample);
  wire::write_message(json, answer, [&](std::string_view name) {
    if (name != "failures") return false;
    json.key(name).begin_array();
    for (const JobId id : line.bad) {
      if (const Job* job = state.find(id)) row(json, *job);
    }
    json.end_array();
    return true;
  });
}

void RowWriter::details(JsonWriter& json, const Job& job, const EnvironmentsByHash& read) {
  const bool owner_sees = shows_files(job);
  const OwnerFacts owner = owner_sees ? owner_facts(context_, job, read) : OwnerFacts{};
  const Knowledge known = knowledge_of(context_.state(), job);
  RowFacts facts = facts_of(job);
  facts.known = &known;
  const std::string near = job.active() && kind_of(job).started_here
                               ? context_.engine.near(*grant_of(job)).cpus
                               : std::string();
  facts.near_cpus = near;
  facts.away = away_for(job, context_.now().wall);
  write_job_details(json, job, facts, context_.state().cards(), owner_sees ? &owner : nullptr);
}

void send_rows(Context& context, const Principal& actor, RowsAsked asked,
               const Responder& responder) {
  begin(context, std::make_shared<RowStream>(context, actor, std::move(asked)), responder);
}

}  // namespace gpusched
