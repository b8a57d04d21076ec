package dev.nodepath.emulator.compare;

import dev.nodepath.report.Samples;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * All measurements of a comparison. Each round has one mode and the direct path.
 *
 * @param all in the order they were made
 */
record Measurements(List<Measurement> all) {
    /** The baseline of the other modes. */
    static final String BASELINE = Mode.DIRECT.toString();

    Measurements {
        all = List.copyOf(all);
    }

    /** The modes that were measured, the baseline first. */
    List<String> modes() {
        List<String> modes = new ArrayList<>(List.of(BASELINE));
        all.stream()
                .map(Measurement::mode)
                .filter(mode -> !mode.equals(BASELINE))
                .distinct()
                .forEach(modes::add);
        return modes;
    }

    /** The paths, in the order they were measured. */
    List<String> paths() {
        return all.stream().map(Measurement::path).distinct().toList();
    }

    /** A figure of a mode on a path by round; NaN in rounds of other modes. */
    Samples samples(String mode, String path, ToDoubleFunction<Measurement> figure) {
        List<Double> perRound = new ArrayList<>();
        for (Measurement each : all) {
            if (each.mode().equals(mode) && each.path().equals(path)) {
                perRound.addAll(Collections.nCopies(Math.max(0, each.round() + 1 - perRound.size()), Double.NaN));
                perRound.set(each.round(), figure.applyAsDouble(each));
            }
        }
        return new Samples(perRound);
    }

    /** The direct path's figure, in the rounds of the mode. */
    Samples beside(String mode, String path, ToDoubleFunction<Measurement> figure) {
        List<Double> ofMode = samples(mode, path, figure).perRound();
        List<Double> direct = samples(BASELINE, path, figure).perRound();
        return new Samples(IntStream.range(0, Math.min(ofMode.size(), direct.size()))
                .mapToObj(round -> Double.isFinite(ofMode.get(round)) ? direct.get(round) : Double.NaN)
                .toList());
    }

    /** Whether the rounds of a share lie close enough together to say something. */
    boolean isSteady(String mode, String path, ToDoubleFunction<Measurement> figure) {
        return !share(mode, path, figure).isOpen();
    }

    /** The mode's figure divided by the direct path's in each round, such as 0.52. */
    Samples share(String mode, String path, ToDoubleFunction<Measurement> figure) {
        return samples(mode, path, figure).over(samples(BASELINE, path, figure));
    }
}
