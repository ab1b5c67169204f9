package bench;

import org.sunflow.SunflowAPI;
import org.sunflow.core.Display;
import org.sunflow.image.Color;
import org.sunflow.math.Matrix4;
import org.sunflow.math.Point3;
import org.sunflow.math.Vector3;
import org.sunflow.system.UI;

/** Sunflow, a ray tracer: spheres of glass, mirror and matt colours on a plane, lit from around; one thread. */
final class Sunflow implements Workload {
    private static final int SIZE = 64;
    private final SunflowAPI scene = new SunflowAPI();

    Sunflow() {
        UI.set(null);
        scene.parameter("threads", 1);
        scene.parameter("threads.lowPriority", false);
        scene.parameter("resolutionX", SIZE);
        scene.parameter("resolutionY", SIZE);
        scene.parameter("aa.min", 0);
        scene.parameter("aa.max", 1);
        scene.parameter("gi.engine", "ambocc");
        scene.parameter("gi.ambocc.bright", null, 1, 1, 1);
        scene.parameter("gi.ambocc.dark", null, 0, 0, 0);
        scene.parameter("gi.ambocc.samples", 16);
        scene.options(SunflowAPI.DEFAULT_OPTIONS);
        scene.parameter("transform", Matrix4.lookAt(new Point3(0, 4, 9), new Point3(0, 1, 0), new Vector3(0, 1, 0)));
        scene.parameter("fov", 45f);
        scene.parameter("aspect", 1f);
        scene.camera("camera", "pinhole");
        scene.parameter("camera", "camera");
        scene.options(SunflowAPI.DEFAULT_OPTIONS);
        scene.parameter("center", new Point3(5, 9, 6));
        scene.parameter("power", null, 300, 300, 300);
        scene.light("lamp", "point");
        objects();
    }

    private void objects() {
        scene.parameter("diffuse", null, 0.6f, 0.5f, 0.4f);
        scene.shader("matt", "diffuse");
        scene.parameter("color", null, 0.8f, 0.8f, 0.9f);
        scene.shader("mirror", "mirror");
        scene.parameter("eta", 1.5f);
        scene.parameter("color", null, 0.9f, 0.9f, 0.9f);
        scene.shader("glass", "glass");
        scene.parameter("center", new Point3(0, 0, 0));
        scene.parameter("normal", new Vector3(0, 1, 0));
        scene.geometry("floor", "plane");
        scene.parameter("shaders", "matt");
        scene.instance("floor.instance", "floor");
        scene.geometry("ball", "sphere");
        String[] shaders = {"matt", "mirror", "glass"};
        for (int at = 0; at < 25; at++) {
            scene.parameter("transform", Matrix4.translation(at % 5 * 1.6f - 3.2f, 0.7f, at / 5 * 1.6f - 3.2f).multiply(Matrix4.scale(0.7f)));
            scene.parameter("shaders", shaders[at % shaders.length]);
            scene.instance("ball." + at, "ball");
        }
    }

    @Override
    public long turn() {
        Sum sum = new Sum();
        scene.render(SunflowAPI.DEFAULT_OPTIONS, sum);
        return sum.value;
    }

    /** The colours of an image as a number. */
    private static final class Sum implements Display {
        private long value;

        @Override
        public void imageBegin(int width, int height, int bucket) {
            // Nothing is kept of the image.
        }

        @Override
        public void imagePrepare(int x, int y, int width, int height, int id) {
            // Nothing is kept of the image.
        }

        @Override
        public void imageUpdate(int x, int y, int width, int height, Color[] data, float[] alpha) {
            for (int at = 0; at < data.length; at++) {
                // Parts of the image come in any order.
                value += (31L * x + 1009L * y + at + 1) * data[at].toRGB();
            }
        }

        @Override
        public void imageFill(int x, int y, int width, int height, Color color, float alpha) {
            value += (31L * x + 1009L * y) * color.toRGB();
        }

        @Override
        public void imageEnd() {
            // Nothing is kept of the image.
        }
    }
}
