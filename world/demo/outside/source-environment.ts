/** Time, chance and environment for reading git, as this machine has them. Timers do not keep the process alive. */
export const SOURCE_ENVIRONMENT = {
  clock: {
    now: () => new Date(),
    steady: () => performance.now(),
    after: (milliseconds: number, callback: () => void) => {
      const timer = setTimeout(callback, milliseconds).unref();
      return () => {
        clearTimeout(timer);
      };
    },
  },
  random: Math.random,
  environment: { PATH: process.env['PATH'] },
};
