package dev.nodepath.controllers.workload;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.Deletion;
import dev.nodepath.apiserver.resource.ConditionList;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.store.ChangeEvent;
import dev.nodepath.controllers.object.Controller;
import dev.nodepath.controllers.object.EventRecorder;
import dev.nodepath.controllers.object.KeyQueue;
import dev.nodepath.controllers.object.Meta;
import dev.nodepath.controllers.object.Owners;
import dev.nodepath.controllers.object.PodState;
import dev.nodepath.controllers.object.Trigger;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Runs Jobs to their end, with the parallelism and the completions of their specs. */
public final class JobController implements Controller {
    private static final String OURS = "kubernetes.io/job-controller";
    private static final String SUSPENDED = "Suspended";

    private final ClusterApi api;
    private final InstantSource clock;
    private final EventRecorder events;
    private final PodFactory factory;
    private final PodClaims claims;
    private final Map<String, JobProgress> progress = new HashMap<>();
    private final Map<ObjectKey, String> uids = new HashMap<>();
    /** Pods that were deleted since the last look at their Job, in their last state. */
    private final Map<ObjectKey, List<ObjectNode>> gone = new ConcurrentHashMap<>();

    public JobController(ClusterApi api, InstantSource clock) {
        this.api = api;
        this.clock = clock;
        this.events = new EventRecorder(api, clock, "job-controller", "");
        this.factory = new PodFactory(api, events);
        this.claims = new PodClaims(api, Resources.PODS);
    }

    @Override
    public String name() {
        return "job";
    }

    @Override
    public List<Trigger> triggers() {
        Trigger pods = PodClaims.trigger(Resources.PODS, Resources.JOBS);
        return List.of(Trigger.each(Resources.JOBS), new Trigger(Resources.PODS, event -> {
            noteGone(event);
            return pods.keys().apply(event);
        }));
    }

    /** A Pod may vanish between two looks, for example after a forced deletion. */
    private void noteGone(ChangeEvent event) {
        if (event.type() == ChangeEvent.Type.DELETED) {
            Owners.controller(event.object(), Resources.JOBS)
                    .ifPresent(job -> gone.merge(
                            job,
                            List.of(event.object()),
                            (before, added) -> Stream.concat(before.stream(), added.stream())
                                    .toList()));
        }
    }

    @Override
    public void reconcile(ObjectKey key, KeyQueue queue) {
        if (key.name().isEmpty()) {
            api.list(Resources.JOBS, key.namespace()).objects().forEach(job -> queue.add(ObjectKey.of(job)));
            return;
        }
        List<ObjectNode> left = Optional.ofNullable(gone.remove(key)).orElse(List.of());
        Optional<ObjectNode> job = api.find(Resources.JOBS, key);
        forget(key, job.map(Meta::uid).orElse(""));
        if (job.isEmpty() || Meta.isTerminating(job.get()) || !isOurs(job.get())) {
            return;
        }
        Optional<JsonNode> end = JobProgress.end(job.get());
        if (end.isPresent()) {
            deleteFinished(job.get(), end.get(), queue);
        } else {
            run(job.get(), left, queue);
        }
    }

    private static boolean isOurs(JsonNode job) {
        return job.path("spec").path("managedBy").asText(OURS).equals(OURS);
    }

    private void forget(ObjectKey key, String uid) {
        String before = uids.getOrDefault(key, "");
        if (!before.equals(uid)) {
            progress.remove(before);
            uids.put(key, uid);
        }
        if (uid.isEmpty()) {
            uids.remove(key);
        }
    }

    private void run(ObjectNode job, List<ObjectNode> left, KeyQueue queue) {
        Instant now = clock.instant();
        JobProgress done = progress.computeIfAbsent(Meta.uid(job), uid -> new JobProgress());
        left.stream().filter(pod -> Owners.isControlledBy(pod, job)).forEach(pod -> done.countEnd(pod, job, now));
        List<ObjectNode> pods = claims.of(job);
        done.count(pods, job, now);
        List<ObjectNode> active = pods.stream().filter(PodState::isActive).toList();
        boolean suspended = job.path("spec").path("suspend").asBoolean();
        Optional<JobVerdict> verdict = JobVerdict.of(job, done, active, now);
        if (verdict.isPresent() || suspended) {
            boolean failing = verdict.filter(JobVerdict::isFailure).isPresent();
            active.forEach(pod -> delete(job, done, pod, failing));
        } else {
            scale(job, done, pods, active, queue);
        }
        List<ObjectNode> after = claims.of(job);
        writeStatus(job, done, after, verdict, suspended);
        OptionalLong deadline = verdict.isPresent() ? OptionalLong.empty() : JobVerdict.deadline(job);
        deadline.ifPresent(at -> queue.addAfter(ObjectKey.of(job), wait(now, Instant.ofEpochSecond(at))));
    }

    private void scale(
            ObjectNode job, JobProgress done, List<ObjectNode> pods, List<ObjectNode> active, KeyQueue queue) {
        int wanted = wanted(job, done, active.size());
        List<ObjectNode> surplus = surplus(job, active, active.size() - wanted);
        if (!surplus.isEmpty()) {
            surplus.forEach(pod -> delete(job, done, pod, false));
            return;
        }
        List<ObjectNode> busy = new ArrayList<>(active);
        if (JobProgress.replacesFailedOnly(job)) {
            pods.stream()
                    .filter(pod -> Meta.isTerminating(pod) && !PodState.isFinished(pod))
                    .forEach(busy::add);
        }
        int missing = wanted - busy.size();
        Duration pause = wait(clock.instant(), done.nextStart(job));
        if (missing > 0 && !pause.isZero()) {
            queue.addAfter(ObjectKey.of(job), pause);
        } else if (JobProgress.isIndexed(job)) {
            createIndexed(job, done, busy, missing, queue);
        } else {
            for (int i = 0; i < missing; i++) {
                factory.create(job, JobPods.of(job));
            }
        }
    }

    /** Pods to delete: those with indexes that the Job no longer has, and others down to this number. */
    private static List<ObjectNode> surplus(JsonNode job, List<ObjectNode> active, int many) {
        int completions = JobProgress.isIndexed(job)
                ? job.path("spec").path("completions").asInt()
                : Integer.MAX_VALUE;
        Map<Boolean, List<ObjectNode>> needed = active.stream()
                .collect(Collectors.partitioningBy(pod -> JobIndexes.of(pod).orElse(0) < completions));
        List<ObjectNode> needless = needed.getOrDefault(false, List.of());
        return Stream.concat(needless.stream(), DeletionOrder.sort(needed.getOrDefault(true, List.of())).stream())
                .limit(Math.max(many, needless.size()))
                .toList();
    }

    private static int wanted(JsonNode job, JobProgress done, int active) {
        int parallelism = job.path("spec").path("parallelism").asInt(1);
        JsonNode completions = job.path("spec").path("completions");
        if (completions.isNumber()) {
            return Math.min(parallelism, completions.asInt() - done.succeeded());
        }
        return done.succeeded() > 0 ? Math.min(active, parallelism) : parallelism;
    }

    /** Creates Pods for the first free indexes. An index that has to wait after a failure keeps its turn. */
    private void createIndexed(ObjectNode job, JobProgress done, List<ObjectNode> busy, int missing, KeyQueue queue) {
        Set<Integer> taken = new HashSet<>(done.completed());
        taken.addAll(done.failedIndexes());
        busy.forEach(pod -> JobIndexes.of(pod).ifPresent(taken::add));
        int completions = job.path("spec").path("completions").asInt();
        int left = missing;
        for (int index = 0; left > 0 && index < completions; index++) {
            if (taken.contains(index)) {
                continue;
            }
            left--;
            Duration pause = wait(clock.instant(), done.nextStart(index));
            if (pause.isZero()) {
                ObjectNode pod = JobPods.of(job, index);
                done.note(pod, job, index);
                factory.create(job, pod);
            } else {
                queue.addAfter(ObjectKey.of(job), pause);
            }
        }
    }

    private void delete(ObjectNode job, JobProgress done, ObjectNode pod, boolean failing) {
        done.end(pod, failing);
        factory.delete(job, pod);
    }

    private void writeStatus(
            ObjectNode job, JobProgress done, List<ObjectNode> pods, Optional<JobVerdict> verdict, boolean suspended) {
        Instant now = clock.instant();
        PodCounts counts = PodCounts.of(pods, Duration.ZERO, now);
        boolean ended = verdict.isPresent() && counts.active() == 0 && counts.terminating() == 0;
        api.modify(Resources.JOBS, ObjectKey.of(job), "status", copy -> {
            ObjectNode status = copy.withObjectProperty("status");
            suspend(copy, suspended, now);
            PodCounts.put(status, "active", counts.active());
            PodCounts.put(status, "succeeded", done.succeeded());
            PodCounts.put(status, "failed", done.failed());
            status.put("ready", counts.ready()).put("terminating", counts.terminating());
            status.putObject("uncountedTerminatedPods");
            if (JobProgress.isIndexed(job) && !done.completed().isEmpty()) {
                status.put("completedIndexes", JobIndexes.text(done.completed()));
            } else {
                status.remove("completedIndexes");
            }
            if (JobProgress.limitsIndexes(job)) {
                status.put("failedIndexes", JobIndexes.text(done.failedIndexes()));
            }
            verdict.ifPresent(why -> {
                ConditionList.set(copy, why.condition(), "True", why.reason(), why.message(), now);
                if (ended) {
                    ConditionList.set(copy, why.end(), "True", why.reason(), why.message(), now);
                    if (!why.isFailure()) {
                        status.put("completionTime", Meta.seconds(now));
                    }
                }
            });
            return copy;
        });
        if (ended) {
            tell(job, verdict.get());
        }
    }

    private void tell(ObjectNode job, JobVerdict why) {
        if (why.isFailure()) {
            events.warning(job, why.reason(), why.message());
        } else {
            events.normal(job, "Completed", "Job completed");
        }
    }

    private void suspend(ObjectNode job, boolean suspended, Instant now) {
        ObjectNode status = job.withObjectProperty("status");
        boolean before = ConditionList.isTrue(job, SUSPENDED);
        if (suspended && !before) {
            ConditionList.set(job, SUSPENDED, "True", "JobSuspended", "Job suspended", now);
            status.remove("startTime");
            events.normal(job, SUSPENDED, "Job suspended");
        } else if (!suspended && before) {
            ConditionList.set(job, SUSPENDED, "False", "JobResumed", "Job resumed", now);
            events.normal(job, "Resumed", "Job resumed");
        }
        if (!suspended && !status.has("startTime")) {
            status.put("startTime", Meta.seconds(now));
        }
    }

    /** {@code ttlSecondsAfterFinished}. */
    private void deleteFinished(ObjectNode job, JsonNode end, KeyQueue queue) {
        JsonNode lifetime = job.path("spec").path("ttlSecondsAfterFinished");
        if (!lifetime.isNumber()) {
            return;
        }
        Instant finished = Meta.time(end.path("lastTransitionTime")).orElseGet(clock::instant);
        Duration left = wait(clock.instant(), finished.plusSeconds(lifetime.asLong()));
        if (left.isZero()) {
            api.delete(
                    Resources.JOBS,
                    ObjectKey.of(job),
                    new Deletion(OptionalLong.empty(), "Foreground", Meta.uid(job), ""));
        } else {
            queue.addAfter(ObjectKey.of(job), left);
        }
    }

    /** The time that is left until then; zero if it is over. */
    private static Duration wait(Instant now, Instant until) {
        Duration left = Duration.between(now, until);
        return left.isNegative() ? Duration.ZERO : left;
    }
}
